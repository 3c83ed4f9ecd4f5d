import { Readable } from 'node:stream';
import {
  contentKindOf,
  endingsOf,
  hasVideoTrack,
  isKindOf,
  kindHeadBytes,
} from '#server/platform/files/content-kind.ts';
import { isLikeText } from '#server/platform/files/content-readers.ts';
import { contentRefusals, notAsNamed, refused } from '#server/platform/files/content-refusals.ts';
import { cleanFileName } from '#server/platform/files/file-name.ts';
import type { IncomingFile } from '#server/platform/files/incoming.ts';
import { AppError } from '#shared/contract/errors.ts';
import { extensionOf } from '#shared/rules/files.ts';
import { sealedEnvelopeExtension } from '#shared/rules/letters/sealed-envelope.ts';
import type { PlanName } from '#shared/rules/plans.ts';
import { type AcceptedKind, acceptName, type FileUse } from './files.rules.ts';

type Wanted = { plan: PlanName; use: FileUse; named: AcceptedKind };

/** A file under the ending of its content. `content` is whole: its first bytes are in it. */
export type IdentifiedFile = { name: string; kind: AcceptedKind; content: Readable };

/**
 * Reads the first bytes of a file. Keeps its name, and corrects the ending if the content is another kind that is taken.
 * @throws AppError `UNSUPPORTED_MEDIA_TYPE`, `FEATURE_NOT_IN_PLAN`, `UNAVAILABLE`, or `VALIDATION` for an empty file.
 */
export async function identify(file: IncomingFile, wanted: Wanted): Promise<IdentifiedFile> {
  const { head, content } = await readHead(file.content);
  if (head.length === 0) throw new AppError('VALIDATION', 'This file is empty. Choose another one.');
  const kind = await kindFor(head.subarray(0, kindHeadBytes), file, wanted);
  return { name: withEnding(file.name, kind.extension), kind, content };
}

async function kindFor(
  head: Buffer,
  { name, signal }: Pick<IncomingFile, 'name' | 'signal'>,
  { plan, use, named }: Wanted,
): Promise<AcceptedKind> {
  const { extension, mimeType } = named;
  if (extension === sealedEnvelopeExtension) return named;
  if (extension === 'txt' && isLikeText(head)) return named;
  const found = await contentKindOf(head, signal);
  if (found === 'webm' && mimeType.startsWith('audio/') && hasVideoTrack(head))
    throw refused(contentRefusals.videoAsVoice);
  if (isKindOf(extension, found)) return named;
  for (const ending of endingsOf(found)) {
    const kind = acceptedAs(ending, { plan, use, named });
    if (kind) return kind;
  }
  // The reader of texts names the cause.
  if (extension === 'txt' && found === null) return named;
  throw notAsNamed(extensionOf(name), found, head);
}

/** Null if this extension is not accepted here, or only as another kind, such as a picture in place of a voice. */
function acceptedAs(ending: string, { plan, use, named }: Wanted): AcceptedKind | null {
  try {
    const kind = acceptName(plan, use, `file.${ending}`);
    return use === 'enclosures' && kind.called !== named.called ? null : kind;
  } catch (error) {
    if (error instanceof AppError && error.type === 'UNSUPPORTED_MEDIA_TYPE') return null;
    throw error;
  }
}

/** The name with another extension. */
function withEnding(name: string, ending: string): string {
  const own = extensionOf(name);
  return own === ending ? name : cleanFileName(`${name.slice(0, name.length - own.length)}${ending}`);
}

/** Reads the first bytes of a stream and puts them back. */
async function readHead(content: Readable): Promise<{ head: Buffer; content: Readable }> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content.iterator({ destroyOnReturn: false })) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= kindHeadBytes) break;
  }
  const head = Buffer.concat(pieces);
  if (content.readableEnded) return { head, content: Readable.from([head], { objectMode: false }) };
  content.unshift(head);
  return { head, content };
}
