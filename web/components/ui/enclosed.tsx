import { type ReactNode, useState } from 'react';
import { fileSize } from '#shared/rules/sizes.ts';
import { type FileKind, fileKind } from '#web/lib/file-words.ts';
import './enclosed.css';

type EnclosedProps = {
  name: string;
  sizeBytes: number;
  mimeType: string;
  /** Where the file is; absent where the letter is only looked at before it is saved. */
  href?: string;
};

/**
 * What lies in the envelope with a letter. A picture or a video is shown as well; one that the browser can't show is
 * drawn, and can be saved all the same.
 */
export function Enclosed({ name, sizeBytes, mimeType, href }: EnclosedProps) {
  const [isUnshowable, setUnshowable] = useState(false);
  const kind = fileKind(mimeType);
  const view = href && !isUnshowable ? viewOf({ kind, href, name, onError: () => setUnshowable(true) }) : null;
  return (
    <>
      {view ? <div className={kind === 'video' ? 'enclosed-view noprint' : 'enclosed-view'}>{view}</div> : null}
      <div className="enclosed">
        {view ? null : <Thumb kind={kind} />}
        <div>
          <b>
            <bdi>{name}</bdi>
          </b>
          <p className="quiet small">{fileSize(sizeBytes)}, enclosed with the letter</p>
          {href ? (
            <a className="btn btn-2 btn-small noprint" href={href} download={name}>
              {saveWords(kind)}
            </a>
          ) : null}
        </div>
      </div>
    </>
  );
}

type View = { kind: FileKind; href: string; name: string; onError: () => void };

function viewOf({ kind, href, name, onError }: View): ReactNode {
  if (kind === 'picture') return <img src={href} alt={`The enclosed picture, ${name}`} onError={onError} />;
  if (kind !== 'video') return null;
  return (
    // biome-ignore lint/a11y/useMediaCaption: it is what somebody recorded themselves, and nobody has written captions for it.
    <video src={href} controls preload="metadata" aria-label={`The enclosed video, ${name}`} onError={onError} />
  );
}

function saveWords(kind: FileKind): string {
  if (kind === 'picture') return 'Save the picture';
  return kind === 'video' ? 'Save the video' : 'Save the document';
}

/** A small drawing in the hand of the others: a picture, a film or a page. */
function Thumb({ kind }: { kind: FileKind }) {
  return (
    <svg className="thumb art" viewBox="0 0 88 66" aria-hidden="true" focusable="false">
      {thumbs[kind === 'picture' || kind === 'video' ? kind : 'page']}
    </svg>
  );
}

const thumbs = {
  picture: (
    <>
      <g className="art-t">
        <path d="M14 44q16-18 30-4t32-10v26H14Z" />
      </g>
      <g className="art-l">
        <path d="M10 10h68v46H10Z" />
        <circle cx="58" cy="24" r="6" />
        <path d="M10 46q16-20 30-6t38-12" />
      </g>
    </>
  ),
  video: (
    <>
      <g className="art-t">
        <path d="M41 26v22l20-11Z" />
      </g>
      <g className="art-l">
        <path d="M10 10h68v46H10Z" />
        <path d="M38 22v22l20-11Z" />
        <path d="M20 10v46M68 10v46" />
      </g>
    </>
  ),
  page: (
    <>
      <g className="art-t">
        <path d="M30 12h32v48H30Z" />
      </g>
      <g className="art-l">
        <path d="M26 8h26l10 10v40H26Z" />
        <path d="M52 8v10h10M33 28h22M33 36h22M33 44h14" />
      </g>
    </>
  ),
} satisfies Record<string, ReactNode>;
