# Two images, docs/container.md tells how to use them:
#
#   docker build --tag countersign .                             the program and nothing else
#   docker build --target pipeline --tag countersign:pipeline .  the same beside a shell, which pipelines need
#
# The program is static: Alpine's compiler builds for musl. Images are named by digest, because a tag may be moved to
# another; the version stands before it.

FROM rust:1.95.0-alpine@sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2 AS build
# The image's own compiler; rustup would fetch the one of rust-toolchain.toml, lints and all.
ENV RUSTUP_TOOLCHAIN=1.95.0
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/source/target \
    cargo build --locked --profile dist && cp target/dist/countersign /countersign

FROM alpine:3.22@sha256:14358309a308569c32bdc37e2e0e9694be33a9d99e68afb0f5ff33cc1f695dce AS pipeline
RUN apk add --no-cache ca-certificates
COPY --from=build /countersign /usr/local/bin/countersign
USER 65532:65532

FROM scratch
# The authorities that certificates of targets are held to.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /countersign /countersign
USER 65532:65532
ENTRYPOINT ["/countersign"]
