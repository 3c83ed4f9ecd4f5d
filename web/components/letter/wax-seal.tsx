import './wax-seal.css';

/** Wax, pressed with the writer's initial. */
export function WaxSeal({ initial, className = '' }: { initial: string; className?: string }) {
  return (
    <svg className={`wax ${className}`} viewBox="0 0 80 80" aria-hidden="true" focusable="false">
      <path
        className="wax-blot"
        d="M41 3c7.6-.5 11.3 4 17 6.6 5.2 2.6 10.4 4.6 13.2 9.9 3 5.4 1.6 10.5 2.6 16.2 1 6.4 4.2 11.4 2 17.8-2 6-7.5 7.8-11.6 12.2-4.2 4.2-6.8 9-12.8 10.4-6 1.4-10-1.4-16-1.4-6.2 0-11.4 2.6-17-.4-5.4-3-6.6-8.4-9.8-13.6C5.4 55.7 1.6 52 1.8 45.6c.2-6 3.8-9.4 5.2-15C8.6 24.4 7.8 18.8 12.4 14.2c4.4-4.4 9.8-3.8 15.2-6.4C31.8 5.8 36.4 3.2 41 3Z"
      />
      <circle className="wax-press" cx="40" cy="40" r="26" />
      <circle className="wax-ring" cx="40" cy="40" r="22.5" />
      <text className="wax-initial" x="40" y="51.5" textAnchor="middle">
        {initial}
      </text>
    </svg>
  );
}

/** Initial in the wax of an owner's letters. */
export function initialOf(ownerName: string): string {
  return [...ownerName.trim()][0]?.toUpperCase() ?? 'E';
}
