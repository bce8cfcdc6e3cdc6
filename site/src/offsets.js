// SPDX-License-Identifier: Apache-2.0
//
// The engine counts bytes of UTF-8, the editor counts units of UTF-16.

/** From an offset in bytes of the text to one in units; offsets within a character go to its start. */
export function unitsOf(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return byte => Math.min(byte, text.length);
  const bytes = new Uint32Array(text.length + 1);
  let at = 0;
  for (let i = 0; i < text.length; ++i) {
    bytes[i] = at;
    const code = text.charCodeAt(i);
    if (code < 0x80) at += 1;
    else if (code < 0x800) at += 2;
    else if (code >= 0xd800 && code < 0xdc00 && i + 1 < text.length) {
      bytes[++i] = at;
      at += 4;
    } else at += 3;
  }
  bytes[text.length] = at;
  return byte => {
    let low = 0;
    let high = text.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bytes[middle] < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** The text with edits {begin, end, text} in bytes, which do not overlap. */
export function edited(text, edits) {
  const unit = unitsOf(text);
  let out = text;
  for (const edit of [...edits].sort((a, b) => b.begin - a.begin))
    out = out.slice(0, unit(edit.begin)) + edit.text + out.slice(unit(edit.end));
  return out;
}
