import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { S3Settings } from '#server/platform/files/file-store.ts';
import { withoutEnd } from '#shared/text-ends.ts';
import { BackupError } from './backup.format.ts';
import { type BackupSink, fileSink, partialSuffix } from './backup-writer.ts';

/** Place in which automatic backups are stored. */
export type BackupPlace = {
  /** Name for operators, without a secret. */
  readonly called: string;
  sinkOf(name: string): BackupSink;
  list(): Promise<{ name: string; sizeBytes: number }[]>;
  read(name: string): Promise<Readable>;
  remove(name: string): Promise<void>;
};

export type BackupPlaceSettings = { to: string; s3?: S3Settings | undefined };

/** A bucket if `to` begins with `s3://`, else a folder. */
export async function openBackupPlace({ to, s3 }: BackupPlaceSettings): Promise<BackupPlace> {
  return s3 ? s3Place(to, s3) : folderPlace(to);
}

const ownerAlone = 0o700;

function folderPlace(folder: string): BackupPlace {
  return {
    called: folder,
    sinkOf: (name) => async (content) => {
      await mkdir(folder, { recursive: true, mode: ownerAlone }).catch(() => {
        throw new BackupError(`There can be no folder at ${folder}, as BACKUP_TO says.`);
      });
      // Remains of a killed process. No other process writes here while this one has the backup lock.
      for (const left of await readdir(folder))
        if (left.startsWith('everkept-') && left.endsWith(partialSuffix)) await rm(join(folder, left), { force: true });
      await fileSink(join(folder, name))(content);
    },
    async list() {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      return Promise.all(names.map(async (name) => ({ name, sizeBytes: (await stat(join(folder, name))).size })));
    },
    read: async (name) => createReadStream(join(folder, name)),
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}

/** An object has at most ten thousand parts. With this size, they hold more than half a terabyte. */
const partBytes = 64 * 1_048_576;
const partsAtOnce = 2;

async function s3Place(to: string, settings: S3Settings): Promise<BackupPlace> {
  const [{ DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command }, { Upload }, { openS3Client }] =
    await Promise.all([
      import('@aws-sdk/client-s3'),
      import('@aws-sdk/lib-storage'),
      import('#server/platform/files/s3-store.ts'),
    ]);
  const client = openS3Client(settings);
  const prefix = prefixOf(to);
  const placeOf = (name: string) => ({ Bucket: settings.bucket, Key: prefix + name });
  return {
    called: to,
    sinkOf: (name) => async (content: Readable) => {
      const upload = new Upload({
        client,
        params: { ...placeOf(name), Body: content },
        partSize: partBytes,
        queueSize: partsAtOnce,
      });
      await upload.done();
    },
    async list() {
      const found: { name: string; sizeBytes: number }[] = [];
      let ContinuationToken: string | undefined;
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: settings.bucket, Prefix: prefix, ContinuationToken }),
        );
        for (const { Key = '', Size = 0 } of page.Contents ?? [])
          found.push({ name: Key.slice(prefix.length), sizeBytes: Size });
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
      return found;
    },
    async read(name) {
      const { Body } = await client.send(new GetObjectCommand(placeOf(name)));
      if (!(Body instanceof Readable)) throw new TypeError('The store answered with something else than a stream.');
      return Body;
    },
    async remove(name) {
      await client.send(new DeleteObjectCommand(placeOf(name)));
    },
  };
}

/** `everkept/` of `s3://bucket/everkept`. */
function prefixOf(to: string): string {
  const path = withoutEnd(new URL(to).pathname.replace(/^\/+/, ''), '/');
  return path === '' ? '' : `${path}/`;
}
