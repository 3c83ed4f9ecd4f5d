import type { Enclosure } from '#shared/contract/letters/enclosures.ts';
import { fileSize } from '#shared/rules/sizes.ts';
import { placeOf } from './picture-place.ts';
import { Player } from './player.tsx';
import { Said } from './said.tsx';
import './enclosed.css';

/** A picture or a voice as a letter shows it, and where it is; absent for one that this browser can't show yet. */
export type ShownEnclosure = Pick<
  Enclosure,
  'kind' | 'name' | 'sizeBytes' | 'pictureSize' | 'caption' | 'transcript' | 'afterParagraph'
> & {
  id: string;
  href: string | undefined;
  /** The camera's original of a picture that was made smaller. */
  original?: { name: string; sizeBytes: number; href: string | undefined } | null;
};

/** Pictures and voice of a letter, in the writer's order; without a script too. */
export function Enclosures({ enclosures, speaker }: { enclosures: readonly ShownEnclosure[]; speaker: string }) {
  return enclosures.map((enclosure) =>
    enclosure.kind === 'voice' ? (
      <Voice key={enclosure.id} speaker={speaker} {...enclosure} />
    ) : (
      <Picture key={enclosure.id} {...enclosure} />
    ),
  );
}

function Voice({ name, sizeBytes, caption, transcript, href, speaker }: ShownEnclosure & { speaker: string }) {
  const title = caption || (speaker === '' ? 'A recording' : `${speaker}’s voice`);
  return (
    <section className="voice" aria-label="A recording">
      <Player src={href} title={title} />
      {transcript === '' ? null : (
        <Said what={<>Read what {speaker === '' ? 'it' : <bdi>{speaker}</bdi>} says</>} transcript={transcript} />
      )}
      {href ? (
        <p className="small noprint voice-save">
          <a href={href} download={name}>
            Save the recording
          </a>{' '}
          <span className="quiet num">{fileSize(sizeBytes)}</span>
        </p>
      ) : null}
    </section>
  );
}

function Picture({ name, sizeBytes, pictureSize, caption, href, original }: ShownEnclosure) {
  return (
    <figure className="letter-picture">
      <img
        src={href}
        alt={caption || `A picture, ${name}`}
        {...placeOf(pictureSize)}
        loading={pictureSize ? 'lazy' : undefined}
      />
      {caption === '' ? null : <figcaption dir="auto">{caption}</figcaption>}
      {href ? (
        <p className="small noprint">
          <a href={href} download={name}>
            Save the picture
          </a>{' '}
          <span className="quiet num">{fileSize(sizeBytes)}</span>
        </p>
      ) : null}
      {original?.href ? (
        <p className="small noprint">
          <a href={original.href} download={original.name}>
            Save the original
          </a>{' '}
          <span className="quiet num">{fileSize(original.sizeBytes)}</span>
        </p>
      ) : null}
    </figure>
  );
}
