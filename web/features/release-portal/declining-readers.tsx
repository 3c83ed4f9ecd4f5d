import type { Portal } from '#shared/contract/release/portal.ts';
import { pressName } from '#web/components/layout/press-form.tsx';
import { isoDay, longDate } from '#web/lib/format.ts';
import { ownerFirstName } from './portal-words.ts';

/** Readers who want no more letters now. Each waits for a word of theirs, or of a contact. No script acts on the forms. */
export function DecliningReaders({ portal }: { portal: Portal }) {
  const { declining, token } = portal;
  if (declining.length === 0) return null;
  const name = ownerFirstName(portal);
  return (
    <section aria-labelledby="portal-declining">
      <h2 className="h-card below-1" id="portal-declining">
        {declining.length === 1 ? 'A reader wants no more letters now' : 'Some readers want no more letters now'}
      </h2>
      <p className="below-1">
        Letters that {name} left for later days wait for them. We do not say who it is. They can ask for the letters
        themselves. There is nothing you have to do.
      </p>
      {declining.map(({ id, since }) => (
        <details key={id} className="below-1">
          <summary>
            Since <time dateTime={isoDay(since)}>{longDate(since)}</time>: send the letters after all
          </summary>
          <p className="below-1">
            Press this only if you know that the reader wants them. Letters whose day has passed leave immediately, the
            others on their days.
          </p>
          <form method="post" action={`/trusted-contact-admin/${token}`} data-posted-by="browser">
            <input type="hidden" name="readerId" value={id} />
            <button type="submit" className="btn btn-2" name={pressName} value="letters">
              Send the letters after all
            </button>
          </form>
        </details>
      ))}
    </section>
  );
}
