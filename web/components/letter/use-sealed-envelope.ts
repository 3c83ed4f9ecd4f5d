import { useEffect, useState } from 'react';
import { readFile } from '#web/lib/api/read-file.ts';
import type { Packed } from '#web/lib/sealing/sealed-envelope.ts';
import type { ShownEnclosure } from './enclosures.tsx';
import type { PictureSize } from './picture-place.ts';

/** The one other file of a letter, and where it can be seen. */
export type ShownFile = {
  name: string;
  sizeBytes: number;
  mimeType: string;
  pictureSize: PictureSize | null;
  transcript: string;
  href: string;
};

export type SealedEnvelope = {
  state: 'empty' | 'opening' | 'open' | 'failed';
  packed: readonly Packed[];
  /** Pictures and voice, as a letter shows them. */
  enclosures: readonly ShownEnclosure[];
  file: ShownFile | undefined;
  retry: () => void;
};

/** For each opened enclosure: its address in this page and, for a picture, its size. */
type Opened = { packed: readonly Packed[]; hrefs: readonly string[]; sizes: readonly (PictureSize | null)[] };

/** Fetches and opens the enclosures of a sealed letter, once the key is known from its text. */
export function useSealedEnvelope(href: string, fileKey: string | undefined): SealedEnvelope {
  const [opened, setOpened] = useState<Opened>();
  const [hasFailed, setFailed] = useState(false);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is another run.
  useEffect(() => {
    if (fileKey === undefined) return;
    const stopping = new AbortController();
    const made: string[] = [];
    const open = async () => {
      // Most letters are not sealed, and their pages need none of this.
      const [{ openEnvelope }, { pictureSizeAt }, sealed] = await Promise.all([
        import('#web/lib/sealing/sealed-envelope.ts'),
        import('#web/lib/sealing/picture-size.ts'),
        readFile(href, stopping.signal),
      ]);
      const packed = await openEnvelope(sealed, fileKey);
      if (stopping.signal.aborted) return;
      made.push(...packed.map(({ file }) => URL.createObjectURL(file)));
      const sizes = await Promise.all(
        packed.map(({ kind, file }, index) =>
          kind !== 'original' && file.type.startsWith('image/') ? pictureSizeAt(made[index] ?? '') : null,
        ),
      );
      if (stopping.signal.aborted) return;
      setOpened({ packed, hrefs: made, sizes });
    };
    open().catch(() => stopping.signal.aborted || setFailed(true));
    return () => {
      stopping.abort();
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, [href, fileKey, tries]);

  const retry = () => {
    setFailed(false);
    setTries(tries + 1);
  };
  const state = fileKey === undefined ? 'empty' : hasFailed ? 'failed' : opened ? 'open' : 'opening';
  return { state, packed: opened?.packed ?? [], ...shownOf(opened), retry };
}

function shownOf(opened: Opened | undefined): Pick<SealedEnvelope, 'enclosures' | 'file'> {
  const enclosures: ShownEnclosure[] = [];
  let shown: ShownFile | undefined;
  for (const [index, { kind, file, caption, transcript, afterParagraph }] of (opened?.packed ?? []).entries()) {
    const { name, size: sizeBytes, type: mimeType } = file;
    const href = opened?.hrefs[index] ?? '';
    const pictureSize = opened?.sizes[index] ?? null;
    const picture = enclosures.at(-1);
    if (kind === 'file') shown = { name, sizeBytes, mimeType, pictureSize, transcript, href };
    else if (kind === 'original') {
      if (picture) picture.original = { name, sizeBytes, href };
    } else {
      const facts = { name, sizeBytes, pictureSize, caption, transcript, afterParagraph };
      enclosures.push({ id: `${index}`, kind, href, ...facts });
    }
  }
  return { enclosures, file: shown };
}
