import { isLongName } from './threshold-words.ts';
import './threshold.css';

type CoverProps = {
  /** Recipient's name as the writer typed it. */
  name: string;
  /** The first letter of the writer's name, in the wax. */
  initial: string;
  isOpen?: boolean;
};

/** The envelope of a letter, with the name of its reader. */
export function Cover({ name, initial, isOpen = false }: CoverProps) {
  return (
    <div className={isOpen ? 'cover cover-open' : 'cover'}>
      <svg className="cover-flap" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {isOpen ? (
          <>
            <path className="cover-paper" d="M0 100 47.8 5q2.2-4 4.4 0L100 100" />
            <path className="cover-tone" d="M3 100 50 10 97 100Z" />
            <path className="cover-sheet" d="M7 100V50H93V100" />
          </>
        ) : (
          <>
            <path className="cover-tone" d="M.9 2.4 48.7 94.4q2.2 4 4.4 0L100 4V2.4Z" />
            <path className="cover-line" d="M0 0 47.8 92q2.2 4 4.4 0L100 0" />
          </>
        )}
      </svg>
      <svg className="cover-fold" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <path d="M0 100 47.6 4q2.4-4.5 4.8 0L100 100" />
      </svg>
      {isOpen ? null : (
        <svg className="cover-seal" viewBox="0 0 80 80" aria-hidden="true" focusable="false">
          <path
            className="wax"
            d="M41 3c7.6-.5 11.3 4 17 6.6 5.2 2.6 10.4 4.6 13.2 9.9 3 5.4 1.6 10.5 2.6 16.2 1 6.4 4.2 11.4 2 17.8-2 6-7.5 7.8-11.6 12.2-4.2 4.2-6.8 9-12.8 10.4-6 1.4-10-1.4-16-1.4-6.2 0-11.4 2.6-17-.4-5.4-3-6.6-8.4-9.8-13.6C5.4 55.7 1.6 52 1.8 45.6c.2-6 3.8-9.4 5.2-15C8.6 24.4 7.8 18.8 12.4 14.2c4.4-4.4 9.8-3.8 15.2-6.4C31.8 5.8 36.4 3.2 41 3Z"
          />
          <circle className="press" cx="40" cy="40" r="26" />
          <circle className="ring" cx="40" cy="40" r="22.5" />
          <text x="40" y="51.5" textAnchor="middle">
            {initial}
          </text>
        </svg>
      )}
      <p className={isLongName(name) ? 'cover-name is-long' : 'cover-name'} dir="auto">
        {name}
      </p>
    </div>
  );
}
