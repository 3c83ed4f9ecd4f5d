import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useSearch } from 'wouter';
import { listOldAddresses } from '#shared/contract/letters/addresses.ts';
import { listMessages, type Message } from '#shared/contract/messages.ts';
import { askedQuestion } from '#shared/rules/letters/writing-questions.ts';
import { ListBar } from '#web/components/choosing/list-bar.tsx';
import { useChoosing } from '#web/components/choosing/use-choosing.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Empty, LoadError } from '#web/components/ui/empty.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { ownerNameOf } from '#web/features/accounts/owner-name.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { VerificationBanner } from '#web/features/accounts/verification-banner.tsx';
import { ChosenLetters } from '#web/features/messages/list/chosen-letters.tsx';
import { DeleteMessageDialog } from '#web/features/messages/list/delete-message-dialog.tsx';
import { useHiddenWords } from '#web/features/messages/list/hidden-words.ts';
import { type LetterSort, letterSorts } from '#web/features/messages/list/letter-groups.rules.ts';
import { LetterList } from '#web/features/messages/list/letter-list.tsx';
import { LettersSkeleton } from '#web/features/messages/list/letters-skeleton.tsx';
import { type MessageFilter, MessageFilters } from '#web/features/messages/list/message-filters.tsx';
import { matchingMessages } from '#web/features/messages/list/message-list.rules.ts';
import { MonthlyQuestion } from '#web/features/messages/monthly-question.tsx';
import { type OldAddress, OldAddresses } from '#web/features/messages/old-addresses.tsx';
import { DeletedNote } from '#web/features/recently-deleted/deleted-note.tsx';
import { useRead } from '#web/lib/api/reads.ts';
import { useAsked } from '#web/lib/asked-page.ts';
import { useFetchedPart } from '#web/lib/loading/use-fetched-part.ts';
import { useSession } from '#web/lib/session.ts';
import '#web/features/messages/list.css';

const skeletonRows = 5;
const noFilter: MessageFilter = { words: '', category: 'all' };

/* Come when somebody writes or reads: the list does not need them. */
const fetchWriting = () => import('#web/features/messages/message-dialog.tsx');
const fetchReading = () => import('#web/features/messages/delivered-dialog.tsx');

type Shown = { what: 'none' } | { what: 'new' } | { what: 'edit' | 'read' | 'delete'; message: Message };

/** A delivered letter can only be read. */
function shownOf(message: Message): Shown {
  return { what: message.status === 'delivered' ? 'read' : 'edit', message };
}

export function MessagesPage() {
  const { user } = useSession();
  const ownerName = ownerNameOf(user);
  const messages = useRead(listMessages);
  // Read before anything is shown of the list, which it would move.
  const addresses = useRead(listOldAddresses);
  const letters = addresses.isPending ? undefined : (messages.data ?? undefined);
  const question = askedQuestion(useSearch());
  const writing = useFetchedPart(fetchWriting, { isFetchedWhenIdle: true });
  const reading = useFetchedPart(fetchReading, { isFetchedWhenIdle: true });
  const [shown, setShown] = useState<Shown>({ what: 'none' });
  const show = async (next: Shown) => {
    const wanted = next.what === 'delete' ? null : next.what === 'read' ? reading : writing;
    for (const other of [writing, reading]) if (other !== wanted) other.unwant();
    if (wanted === null || (await wanted.want())) setShown(next);
  };
  const first = useRef(question === null ? null : () => show({ what: 'new' }));
  useEffect(() => void first.current?.(), []);
  const close = () => setShown({ what: 'none' });
  const messageOf = (what: 'edit' | 'read' | 'delete') => (shown.what === what ? shown.message : undefined);
  useAsked('/messages', (asked) => {
    if (asked.what === 'new') show({ what: 'new' });
    if (asked.what !== 'open') return asked.what === 'new';
    const message = messages.data?.find(({ id }) => id === asked.id);
    if (message) show(shownOf(message));
    return messages.data !== undefined;
  });
  useSessionEnded(messages.data === null);
  return (
    <Page
      {...vaultHeadings['/messages']}
      actions={
        <Button busy={writing.isFetching} onClick={() => show({ what: 'new' })}>
          Create Message
        </Button>
      }
    >
      <VerificationBanner />
      {messages.isError && !messages.data ? (
        <LoadError
          title="We could not load your messages"
          text="They are safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => messages.refetch()}
        />
      ) : (
        <Letters messages={letters} oldAddresses={addresses.data ?? []} ownerName={ownerName} onShow={show} />
      )}
      {letters ? (
        <>
          <MonthlyQuestion />
          <DeletedNote />
        </>
      ) : null}
      {writing.part ? (
        <writing.part.MessageDialog
          // Another message is another form.
          key={messageOf('edit')?.id ?? 'new'}
          open={shown.what === 'new' || shown.what === 'edit'}
          message={messageOf('edit')}
          ownerName={ownerName}
          question={question}
          onClose={close}
        />
      ) : null}
      {reading.part ? <reading.part.DeliveredDialog message={messageOf('read')} onClose={close} /> : null}
      <DeleteMessageDialog message={messageOf('delete')} onClose={close} />
    </Page>
  );
}

type LettersProps = {
  /** Undefined while they are being read; what stands round them is there already. */
  messages: readonly Message[] | undefined;
  oldAddresses: readonly OldAddress[];
  ownerName: string;
  onShow: (shown: Shown) => void;
};

function Letters({ messages, oldAddresses, ownerName, onShow }: LettersProps) {
  const [filter, setFilter] = useState(noFilter);
  const [sort, setSort] = useState<LetterSort>('person');
  const [hidesWords, hideWords] = useHiddenWords();
  // A letter of the search is on the screen before the list has been drawn for it.
  const asked = useDeferredValue(filter);
  const found = useMemo(() => matchingMessages(messages ?? [], asked), [messages, asked]);
  const choosing = useChoosing(found);
  useAsked('/messages', (asked) => {
    if (asked.what === 'find') setFilter({ ...noFilter, words: asked.words });
    return asked.what === 'find';
  });
  return (
    <>
      <MessageFilters filter={filter} onFilter={setFilter} />
      <ListBar
        count={messages && found.length}
        noun="Message"
        sort={sort}
        sorts={letterSorts}
        onSort={setSort}
        isSelecting={choosing.chosen !== null}
        onSelect={found.length > 0 || choosing.chosen ? choosing.begin : undefined}
        selectRef={choosing.buttonRef}
      >
        <label className="switch">
          <input
            type="checkbox"
            checked={hidesWords}
            onChange={({ currentTarget }) => hideWords(currentTarget.checked)}
          />
          <span>Hide the words</span>
        </label>
      </ListBar>
      {messages && oldAddresses.length > 0 ? <OldAddresses addresses={oldAddresses} /> : null}
      {messages === undefined ? (
        <LettersSkeleton envelopes={skeletonRows} />
      ) : found.length > 0 ? (
        <LetterList
          {...{ found, messages, sort, hidesWords, ownerName, choosing }}
          onOpen={(message) => onShow(shownOf(message))}
          onDelete={(message) => onShow({ what: 'delete', message })}
        />
      ) : messages.length === 0 ? (
        <Empty
          drawing="letter"
          title="No messages yet"
          text="The first one can be three lines long."
          action={<Button onClick={() => onShow({ what: 'new' })}>Create Your First Message</Button>}
        />
      ) : (
        <Empty drawing="key" title="No messages found" text="Try adjusting your search or filter criteria" />
      )}
      {choosing.chosen ? (
        <ChosenLetters chosen={choosing.chosen} of={found.length} onAll={choosing.all} onDone={choosing.done} />
      ) : null}
    </>
  );
}
