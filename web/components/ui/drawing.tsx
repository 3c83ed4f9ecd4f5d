import hands from './drawings/hands.svg';
import inkwell from './drawings/inkwell.svg';
import key from './drawings/key.svg';
import lamp from './drawings/lamp.svg';
import lampLit from './drawings/lamp-lit.svg';
import letter from './drawings/letter.svg';
import post from './drawings/post.svg';
import seal from './drawings/seal.svg';
import thumbPage from './drawings/thumb-page.svg';
import thumbPicture from './drawings/thumb-picture.svg';
import thumbVideo from './drawings/thumb-video.svg';

/** Each with the size of its file, so that its room is kept before it is there. */
const drawings = {
  letter: { file: letter, viewBox: '24 14 148 125', className: 'art art-letter' },
  key: { file: key, viewBox: '6 28 200 92', className: 'art art-key' },
  'lamp-lit': { file: lampLit, viewBox: '20 10 100 168', className: 'art art-lamp is-lit' },
  lamp: { file: lamp, viewBox: '20 10 100 168', className: 'art art-lamp' },
  hands: { file: hands, viewBox: '4 34 284 84', className: 'art art-hands' },
  seal: { file: seal, viewBox: '0 0 160 160', className: 'art art-seal' },
  post: { file: post, viewBox: '0 52 174 87', className: 'art art-post' },
  inkwell: { file: inkwell, viewBox: '0 0 200 160', className: 'art art-inkwell' },
  'thumb-picture': { file: thumbPicture, viewBox: '0 0 88 66', className: 'thumb art' },
  'thumb-video': { file: thumbVideo, viewBox: '0 0 88 66', className: 'thumb art' },
  'thumb-page': { file: thumbPage, viewBox: '0 0 88 66', className: 'thumb art' },
} satisfies Record<string, { file: string; viewBox: string; className: string }>;

export type DrawingName = keyof typeof drawings;

/**
 * A letterpress drawing: an ink line over one flat tone. It decorates, so it has no name for screen readers. It is
 * referenced from its file, so that it takes the colours of the theme and of its background.
 */
export function Drawing({ name }: { name: DrawingName }) {
  const { file, viewBox, className } = drawings[name];
  return (
    <svg className={className} viewBox={viewBox} aria-hidden="true" focusable="false">
      <use href={`${file}#art`} />
    </svg>
  );
}
