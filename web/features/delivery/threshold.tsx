import type { ReactNode } from 'react';
import type { DeliveredMessage } from '#shared/contract/letters/delivery.ts';
import { productName } from '#shared/product.ts';
import { firstNameOf } from '#shared/rules/names.ts';
import { SupportLines } from '#web/components/ui/support-lines.tsx';
import { dayAndMonth, isoDay, longDate } from '#web/lib/format.ts';
import { useTitle } from '#web/lib/use-title.ts';
import { Cover } from './cover.tsx';
import { FurtherLetters } from './further-letters.tsx';
import { ReadersSay } from './readers-say.tsx';
import { commonDay, type Listed, nameOnCover, numberWord } from './threshold-words.ts';
import { WaitingLetters } from './waiting-letters.tsx';

/** Before the letter: its envelope. Nothing is opened by coming here; the press is the opening. */
export function Threshold({ letter, token }: { letter: DeliveredMessage; token: string }) {
  const { senderName, recipientName, expiresAt, waitsUntil } = letter;
  useTitle(`A letter from ${senderName}`);
  return (
    <Frame senderName={senderName}>
      <h1 className="thr-h">
        <bdi>{senderName}</bdi> wrote this for you
      </h1>
      <Cover name={nameOnCover(recipientName)} initial={initialOf(senderName)} />
      <Press token={token}>
        <button type="submit" className="btn btn-1 btn-big">
          Open it when you are ready
        </button>
      </Press>
      <p className="thr-until">
        It is kept for you until <Day at={expiresAt} />. There is no hurry before then.
      </p>
      <WaitingLetters waitsUntil={waitsUntil} />
      <ReadersSay letter={letter} token={token} />
    </Frame>
  );
}

/** All letters that one person has got, in the order in which they were to be read. */
export function Thresholds({ letter }: { letter: DeliveredMessage }) {
  const { senderName, recipientName, letters, all, waitsUntil } = letter;
  useTitle(`Letters from ${senderName}`);
  const count = numberWord(all.letters);
  const sameDay = letters.length < all.letters ? null : commonDay(letters);
  const next = letters.find(({ openedAt }) => openedAt === null)?.token;
  return (
    <Frame senderName={senderName} isWide>
      <h1 className="thr-h">
        {recipientName ? (
          <>
            <bdi>{firstNameOf(recipientName)}</bdi>,{' '}
          </>
        ) : null}
        <bdi>{senderName}</bdi> wrote {count} letters for you
      </h1>
      <p className="thr-sub">
        They are in the order in which <bdi>{firstNameOf(senderName)}</bdi> hoped you would read them.
      </p>
      <ol className="thr-list">
        {letters.map((each) => (
          <li key={each.token}>
            <Cover name={nameOnCover(recipientName)} initial={initialOf(senderName)} isOpen={each.openedAt !== null} />
            <h2 dir="auto">{each.title}</h2>
            {each.sealed ? <p className="small quiet">Sealed with words that you would know</p> : null}
            <p className="small quiet">
              {each.openedAt ? `You opened it on ${dayAndMonth(each.openedAt)}.` : 'Not opened yet'}
            </p>
            {sameDay === null ? (
              <p className="small quiet">
                Kept until <Day at={each.keptUntil} />
              </p>
            ) : null}
            <Way letter={each} isNext={each.token === next} />
          </li>
        ))}
      </ol>
      <FurtherLetters letters={letters} all={all} />
      {sameDay === null ? null : (
        <p className="thr-until">
          {letters.length === 2 ? 'Both' : `All ${count}`} are kept for you until <Day at={sameDay} />. There is no
          hurry before then.
        </p>
      )}
      <WaitingLetters waitsUntil={waitsUntil} />
      <ReadersSay letter={letter} token={letters[0]?.token} />
    </Frame>
  );
}

/** One button stands out: the letter that is next. */
function Way({ letter: { token, title, openedAt }, isNext }: { letter: Listed; isNext: boolean }) {
  const which = (
    <span className="vh">
      : <bdi>{title}</bdi>
    </span>
  );
  if (openedAt) {
    return (
      <a className="btn btn-3" href={`/message/${token}?open`}>
        Read it again{which}
      </a>
    );
  }
  return (
    <Press token={token}>
      <button type="submit" className={isNext ? 'btn btn-1' : 'btn btn-2'}>
        {isNext ? 'Open it when you are ready' : 'Open it'}
        {which}
      </button>
    </Press>
  );
}

/** A form of the page itself, that the browser posts to the address of the letter. */
function Press({ token, children }: { token: string; children: ReactNode }) {
  return (
    <form className="thr-do" method="post" action={`/message/${token}`} data-posted-by="browser">
      {children}
    </form>
  );
}

function Day({ at }: { at: string }) {
  return <time dateTime={isoDay(at)}>{longDate(at).replaceAll(' ', '\u00a0')}</time>;
}

function initialOf(name: string): string {
  return [...name.trim()][0]?.toUpperCase() ?? '';
}

type FrameProps = { senderName: string; isWide?: boolean; children: ReactNode };

function Frame({ senderName, isWide = false, children }: FrameProps) {
  return (
    <div className="threshold">
      <div className={isWide ? 'thr-in thr-wide' : 'thr-in'}>{children}</div>
      <aside className="quietly small" aria-label="About this page">
        <p>
          You don’t need an account, and it costs nothing. <bdi>{firstNameOf(senderName)}</bdi> asked{' '}
          <a href="/">{productName}</a> to keep this for you.
        </p>
        <p>
          <SupportLines />
        </p>
      </aside>
    </div>
  );
}
