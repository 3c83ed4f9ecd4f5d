import { pipeline } from 'node:stream/promises';
import type { App } from '#server/app.ts';
import type { Vault } from '#server/platform/crypto/vault.ts';
import { checkContent } from '#server/platform/files/content-check.ts';
import { countingStream } from '#server/platform/files/counting-stream.ts';
import type { IncomingFile } from '#server/platform/files/incoming.ts';
import type { PictureSize } from '#server/platform/files/picture-size.ts';
import { pictureHeadBytes, sizeOf } from '#server/platform/files/read-head.ts';
import { keepError } from '#server/platform/streams/streams.ts';
import { keepPictureSize } from './files.repository.ts';
import { acceptName, type FileUse, limitOf, type Room } from './files.rules.ts';
import { identify } from './identify.ts';
import { removeFreed, storeSealed } from './stored-files.ts';

/** A sealed file in the store. */
export type StoredFile = { path: string; name: string; sizeBytes: number; mimeType: string };
/** A new file. `givenName` differs from `name` if the ending was corrected; `pictureSize` is the size of a shown picture. */
export type TakenFile = StoredFile & { givenName: string; pictureSize: PictureSize | null };

/** Name that a file had, if its ending was corrected. */
export type Renamed = { renamedFrom?: string };

/** Bytes that a form may have in addition to its file. */
const formBytesMax = 2_000_000;

export type Received = {
  use: FileUse;
  /** True keeps what a camera wrote into a picture of a letter. */
  asTaken?: boolean;
  file: IncomingFile;
  room: Room;
  announcedBytes: number | null;
};

/** Stores a file under the ending of its content. @throws AppError as `takeUpload`; then nothing of it is left. */
export async function receiveFile(app: App, vault: Vault, received: Received): Promise<TakenFile> {
  const content = keepError(received.file.content);
  try {
    return await receive(app, vault, received);
  } finally {
    content.destroy();
  }
}

async function receive(
  app: App,
  vault: Vault,
  { file, use, asTaken, room, announcedBytes }: Received,
): Promise<TakenFile> {
  const named = acceptName(room.plan, use, file.name);
  requireAnnounced(announcedBytes, limitOf(room, named));
  const { name, kind, content } = await identify(file, { plan: room.plan, use, named });
  const limit = limitOf(room, kind);
  requireAnnounced(announcedBytes, limit);

  const { signal } = file;
  const isShown = isShownPicture(use, kind);
  const counted = countingStream(limit.bytesMax, limit.refusal, isShown ? pictureHeadBytes : 0);
  const options = { isShown, isCleaned: use === 'enclosures' && !asTaken, ...(signal && { signal }) };
  const path = await storeSealed(app, vault, (seal, put) =>
    whileWanted(signal, (stop) =>
      pipeline(content, counted.stream, checkContent(kind, options), app.scanner.scan(), seal, put, stop),
    ),
  );
  try {
    const pictureSize = isShown ? await sizeOf(counted.head(), signal) : null;
    if (pictureSize) await keepPictureSize(app.db, path, pictureSize);
    const { mimeType } = kind;
    return { path, name, givenName: file.name, sizeBytes: counted.bytes(), mimeType, pictureSize };
  } catch (error) {
    await removeFreed(app, [path]);
    throw error;
  }
}

/** Ends a flow if its caller leaves, with the reason of the signal in place of an `AbortError`. */
async function whileWanted(signal: AbortSignal | undefined, flow: (stop: { signal?: AbortSignal }) => Promise<void>) {
  try {
    await flow({ ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** @throws AppError for a form that is announced with more bytes than its file may have. */
function requireAnnounced(announcedBytes: number | null, { bytesMax, refusal }: ReturnType<typeof limitOf>): void {
  if (announcedBytes !== null && announcedBytes > bytesMax + formBytesMax) throw refusal();
}

/** True for a picture that a letter shows. A page keeps no place for files that are only saved. */
function isShownPicture(use: FileUse, { mimeType }: { mimeType: string }): boolean {
  return (use === 'enclosures' || use === 'attachments') && mimeType.startsWith('image/');
}
