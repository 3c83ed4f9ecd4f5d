import { type ReactNode, useState } from 'react';
import { fileSize } from '#shared/rules/sizes.ts';
import { Drawing, type DrawingName } from '#web/components/ui/drawing.tsx';
import { type FileKind, fileKind } from '#web/lib/file-words.ts';
import { type PictureSize, placeOf } from './picture-place.ts';
import { Said } from './said.tsx';
import './enclosed.css';

type EnclosedProps = {
  name: string;
  sizeBytes: number;
  mimeType: string;
  pictureSize?: PictureSize | null;
  /** Transcript of a video; empty if none was written. */
  transcript?: string;
  /** Address of the file; absent in a preview of an unsaved letter. */
  href?: string;
};

/**
 * Attachment of a letter. Pictures and videos are shown; one that the browser can't show is drawn as a file, and can
 * still be saved.
 */
export function Enclosed({ name, sizeBytes, mimeType, pictureSize = null, transcript = '', href }: EnclosedProps) {
  const [isUnshowable, setUnshowable] = useState(false);
  const kind = fileKind(mimeType);
  const view =
    href && !isUnshowable ? viewOf({ kind, href, name, pictureSize, onError: () => setUnshowable(true) }) : null;
  return (
    <>
      {view ? <div className={kind === 'video' ? 'enclosed-view noprint' : 'enclosed-view'}>{view}</div> : null}
      {transcript === '' ? null : <Said what="Read what is said in it" transcript={transcript} />}
      <div className="enclosed">
        {view ? null : <Drawing name={thumbOf(kind)} />}
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

type View = { kind: FileKind; href: string; name: string; pictureSize: PictureSize | null; onError: () => void };

function viewOf({ kind, href, name, pictureSize, onError }: View): ReactNode {
  const alt = `The enclosed picture, ${name}`;
  if (kind === 'picture') return <img src={href} alt={alt} onError={onError} {...placeOf(pictureSize)} />;
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
function thumbOf(kind: FileKind): DrawingName {
  if (kind === 'picture') return 'thumb-picture';
  return kind === 'video' ? 'thumb-video' : 'thumb-page';
}
