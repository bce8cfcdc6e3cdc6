# SPDX-License-Identifier: Apache-2.0
"""A refund that waits for a person, goes on the next day, and is paid once.

usage: refund.py SESSION [yes|no]

The first call gives the order and the amount, and ends as soon as a person must approve. The
second brings the person's word. Either may be killed at any moment and called again: the payment
that was begun and not finished is looked up, never simply made again.
"""
import asyncio
import os
import sys
from pathlib import Path

import rpl


async def main(session: str, approval: str | None) -> int:
    desk = rpl.Protocol(Path(__file__).with_name("refund.md"))
    ledger = Path(session + ".paid")

    def number_of(order: str) -> str | None:
        paid = ledger.read_text().split("\n") if ledger.exists() else []
        return next((f"P{i}" for i, line in enumerate(paid, 1) if line == order), None)

    @desk.tool("pay")
    def pay(order: str, euros: int) -> str | None:
        with ledger.open("a") as file:
            file.write(f"{order}\n")
            file.flush()
            os.fsync(file.fileno())
        return number_of(order)

    async with desk.run(session=session) as run:
        async for question in run:
            if question.in_doubt:  # it was begun in a process that was killed
                if number := number_of(question.arguments[0]):
                    await question.reply(number)
                else:
                    await question.retry()
            elif question.key == "order":
                await question.reply("A-17", by="person")
            elif question.key == "euros":
                await question.reply(120, by="person")
            elif question.person and approval is not None:
                await question.reply(approval, by="person")
        match run.outcome:
            case rpl.Satisfied(answers=[refund], now=now):
                print(f"paid {refund['euros']} euros: {refund['number']}")
                print(now)
            case rpl.Waiting(questions=questions):
                print("waiting:", "; ".join(question.prompt for question in questions))
                return 3
            case rpl.Violated(text=text):
                print(text)
                return 1
            case other:
                print(other.status)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)))
