import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { ReadingPart } from '#web/components/layout/reading-page.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { Prose, plainWords } from '#web/components/ui/prose.tsx';
import type { Question, QuestionGroup } from '#web/content/faq.ts';
import { counted } from '#web/lib/format.ts';
import { supportEmail } from '#web/lib/support.ts';
import { idsMatching } from './faq-search.rules.ts';

/** Questions in groups, each to be opened, with a box to find one. All of them can be read without scripts. */
export function FaqList({ groups }: { groups: readonly QuestionGroup[] }) {
  const entries = useMemo(() => groups.flatMap((group) => group.questions.map(searchableOf(group.title))), [groups]);
  const [typed, setTyped] = useState('');
  const found = idsMatching(entries, typed);
  return (
    <>
      <SearchBox onType={setTyped} result={found && resultWords(found.size)} />
      {groups.map(({ id, title, questions }) => {
        const shown = questions.filter((question) => !found || found.has(question.id));
        if (shown.length === 0) return null;
        return (
          <ReadingPart key={id} id={id} title={title}>
            <div className="faq">
              {shown.map((question) => (
                <Entry key={question.id} question={question} isFound={found !== null} />
              ))}
            </div>
          </ReadingPart>
        );
      })}
      {found?.size === 0 ? (
        <p className="lead">
          Try another word, or write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>. A person answers.
        </p>
      ) : null}
    </>
  );
}

type SearchBoxProps = { onType: (typed: string) => void; result: string | null };

function SearchBox({ onType, result }: SearchBoxProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Text may have been typed before the scripts ran.
    if (input.current?.value) onType(input.current.value);
  }, [onType]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers know the element of that name, React's tests do not.
    <div className="find noprint" role="search">
      <label htmlFor={id}>Search the questions</label>
      <div>
        <Icon name="search" />
        <input ref={input} id={id} type="search" autoComplete="off" onChange={(event) => onType(event.target.value)} />
      </div>
      <p className="small quiet" role="status">
        {result}
      </p>
    </div>
  );
}

/** Search results are opened for display. */
function Entry({ question: { id, question, answer }, isFound }: { question: Question; isFound: boolean }) {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const details = ref.current;
    if (!details) return;
    if (location.hash === `#${id}`) details.open = true;
    if (!isFound) return;
    details.open = true;
    return () => {
      details.open = false;
    };
  }, [isFound, id]);
  return (
    <details ref={ref} id={id}>
      <summary>
        <h3>{question}</h3>
        <Icon name="chevron-down" />
      </summary>
      <Prose blocks={answer} />
    </details>
  );
}

function searchableOf(groupTitle: string) {
  return ({ id, question, answer }: Question) => ({ id, words: `${groupTitle} ${question} ${plainWords(answer)}` });
}

function resultWords(count: number): string {
  if (count === 0) return 'No question holds all of these words.';
  return `${counted(count, 'question')} found.`;
}
