# SPDX-License-Identifier: Apache-2.0
#
# The program in a small image, installed from its Debian package (docs/install.md):
#
#   docker build --tag rpl .
#   docker run --rm -it -v "$PWD:/work" rpl run examples/packing-list.md
#
# What is needed is said once, in ./dev and in the package.

FROM debian:bookworm AS build
WORKDIR /src
COPY dev ./
RUN ./dev setup deb
COPY . ./
RUN ./dev deb

FROM debian:bookworm-slim
COPY --from=build /src/build/rpl-engine_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/rpl-engine_*.deb ca-certificates libcurl4 libpq5 shfmt && rm -rf /tmp/*.deb /var/lib/apt/lists/* && useradd --create-home rpl
USER rpl
WORKDIR /work
ENTRYPOINT ["rpl"]
CMD ["help"]
