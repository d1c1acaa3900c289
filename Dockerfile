# The program alone, without a shell or package manager: docker build -t packs .
# Its first stage also has what the second needs of Debian. This prints the digest of a newer one: docker buildx imagetools inspect node:24-bookworm-slim
FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /build
COPY . .
RUN npx -y pnpm@12 install --frozen-lockfile && npx -y pnpm@12 --filter packs-image deploy --prod /root-fs/opt/packs
WORKDIR /root-fs
# Nothing of these is loaded: types, source maps, sources of SQLite.
RUN find opt/packs -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.[ch]' \) -delete \
  && ldd /usr/local/bin/node | grep -o '/[^ ]*' | xargs cp --parents -L -t . /usr/local/bin/node /etc/passwd /etc/group \
  && mkdir -p -m 1777 tmp && mkdir -p -m 700 var/lib/packs && chown node:node var/lib/packs

FROM scratch
COPY --from=build /root-fs /
# The last three keep freed memory from staying with the process.
ENV PATH=/usr/local/bin NODE_ENV=production PACK_HOST=0.0.0.0 PACK_DATA=/var/lib/packs \
  MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=65536 MALLOC_TRIM_THRESHOLD_=65536
USER 1000:1000
VOLUME /var/lib/packs
WORKDIR /var/lib/packs
EXPOSE 8080
# Of a server: override it for `worker`, as compose.yaml does.
HEALTHCHECK --interval=10s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PACK_PORT || 8080}/readyz`).then((r) => process.exit(r.ok ? 0 : 1))"]
ENTRYPOINT ["node", "/opt/packs/node_modules/@packs/cli/bin/pack.js"]
CMD ["serve"]
