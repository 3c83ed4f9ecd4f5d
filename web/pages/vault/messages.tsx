import { useEffect, useRef, useState } from 'react';
import { useSearch } from 'wouter';
import type { Envelope } from '#shared/contract/letters/envelopes.ts';
import type { Message } from '#shared/contract/messages.ts';
import { type EnvelopeSort, envelopesPerPage } from '#shared/rules/letters/envelopes.ts';
import { askedQuestion } from '#shared/rules/letters/writing-questions.ts';
import { ListBar } from '#web/components/choosing/list-bar.tsx';
import { useChoosing } from '#web/components/choosing/use-choosing.ts';
import { Page } from '#web/components/layout/page.tsx';
import { MoreItems } from '#web/components/list-pages/more-items.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Empty, LoadError } from '#web/components/ui/empty.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { ownerNameOf } from '#web/features/accounts/owner-name.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { VerificationBanner } from '#web/features/accounts/verification-banner.tsx';
import { ChosenLetters } from '#web/features/messages/list/chosen-letters.tsx';
import { DeleteMessageDialog } from '#web/features/messages/list/delete-message-dialog.tsx';
import { useHiddenWords } from '#web/features/messages/list/hidden-words.ts';
import { letterSorts } from '#web/features/messages/list/letter-groups.rules.ts';
import { LetterList, type LetterListProps } from '#web/features/messages/list/letter-list.tsx';
import { LettersSkeleton } from '#web/features/messages/list/letters-skeleton.tsx';
import { type MessageFilter, MessageFilters } from '#web/features/messages/list/message-filters.tsx';
import { type Envelopes, useEnvelopes } from '#web/features/messages/list/use-envelopes.ts';
import { MonthlyQuestion } from '#web/features/messages/monthly-question.tsx';
import { type OldAddress, OldAddresses } from '#web/features/messages/old-addresses.tsx';
import { useWholeLetter } from '#web/features/messages/use-whole-letter.ts';
import { DeletedNote } from '#web/features/recently-deleted/deleted-note.tsx';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { useAsked } from '#web/lib/asked-page.ts';
import { type FetchedPart, useFetchedPart } from '#web/lib/loading/use-fetched-part.ts';
import { useSession } from '#web/lib/session.ts';
import '#web/features/messages/list.css';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';

const skeletonRows = 5;
const noFilter: MessageFilter = { words: '', category: 'all' };

/* Loaded when an owner writes or reads: the list does not need them. */
const fetchWriting = () => import('#web/features/messages/message-dialog.tsx');
const fetchReading = () => import('#web/features/messages/delivered-dialog.tsx');

type Shown =
  | { what: 'none' }
  | { what: 'new' }
  | { what: 'edit' | 'read'; message: Message }
  | { what: 'delete'; message: Envelope };

/** A delivered letter can only be read. */
function shownOf(message: Message): Shown {
  return { what: message.status === 'delivered' ? 'read' : 'edit', message };
}

export function MessagesPage() {
  const { user } = useSession();
  const ownerName = ownerNameOf(user);
  const messages = useRead(light.listEnvelopes);
  const whole = useWholeLetter();
  // Read before anything is shown of the list, which it would move.
  const addresses = useRead(vaultRoutes.listOldAddresses);
  const isRead = !addresses.isPending && messages.data != null;
  const monthly = useRead(vaultRoutes.getWritingQuestions);
  const question = askedQuestion(useSearch());
  const writing = useFetchedPart(fetchWriting, { isFetchedWhenIdle: true });
  const reading = useFetchedPart(fetchReading, { isFetchedWhenIdle: true });
  const [shown, setShown] = useState<Shown>({ what: 'none' });
  const show = async (next: Shown) => {
    whole.unwant();
    const wanted = next.what === 'delete' ? null : next.what === 'read' ? reading : writing;
    for (const other of [writing, reading]) if (other !== wanted) other.unwant();
    if (wanted === null || (await wanted.want())) setShown(next);
  };
  const open = async ({ id }: Pick<Message, 'id'>): Promise<void> => {
    for (const part of [writing, reading]) part.unwant();
    const message = await whole.read(id, () => open({ id }));
    if (message) await show(shownOf(message));
  };
  const first = useRef(question === null ? null : () => show({ what: 'new' }));
  useEffect(() => void first.current?.(), []);
  useAsked('/messages', (asked) => {
    if (asked.what === 'new') show({ what: 'new' });
    if (asked.what === 'open') open({ id: asked.id });
    return asked.what !== 'find';
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
        <Letters
          isRead={isRead}
          oldAddresses={addresses.data ?? []}
          ownerName={ownerName}
          openingId={whole.openingId}
          onShow={show}
          onOpen={open}
        />
      )}
      {isRead && !monthly.isPending ? (
        <>
          <MonthlyQuestion />
          <DeletedNote />
        </>
      ) : null}
      <Dialogs {...{ shown, writing, reading, ownerName, question }} onClose={() => setShown({ what: 'none' })} />
    </Page>
  );
}

type DialogsProps = {
  shown: Shown;
  writing: FetchedPart<Awaited<ReturnType<typeof fetchWriting>>>;
  reading: FetchedPart<Awaited<ReturnType<typeof fetchReading>>>;
  ownerName: string;
  question: number | null;
  onClose: () => void;
};

/** The dialog of the letter that is written, read or deleted. */
function Dialogs({ shown, writing, reading, ownerName, question, onClose }: DialogsProps) {
  const edited = shown.what === 'edit' ? shown.message : undefined;
  return (
    <>
      {writing.part ? (
        <writing.part.MessageDialog
          // Another message is another form.
          key={edited?.id ?? 'new'}
          open={shown.what === 'new' || shown.what === 'edit'}
          message={edited}
          ownerName={ownerName}
          question={question}
          onClose={onClose}
        />
      ) : null}
      {reading.part ? (
        <reading.part.DeliveredDialog message={shown.what === 'read' ? shown.message : undefined} onClose={onClose} />
      ) : null}
      <DeleteMessageDialog message={shown.what === 'delete' ? shown.message : undefined} onClose={onClose} />
    </>
  );
}

type LettersProps = {
  /** False while the first letters are being read. The filters and the bar are shown meanwhile. */
  isRead: boolean;
  oldAddresses: readonly OldAddress[];
  ownerName: string;
  /** Id of the letter whose words are being read. */
  openingId: string | undefined;
  onShow: (shown: Shown) => void;
  onOpen: (message: Envelope) => void;
};

function Letters({ isRead, oldAddresses, ownerName, openingId, onShow, onOpen }: LettersProps) {
  const [filter, setFilter] = useState(noFilter);
  const [sort, setSort] = useState<EnvelopeSort>('person');
  const [hidesWords, hideWords] = useHiddenWords();
  const list = useEnvelopes({ ...filter, sort });
  const { envelopes, found } = list;
  const groups = isRead ? list.groups : undefined;
  const choosing = useChoosing(envelopes);
  useSessionEnded(list.isSignedOut);
  useAsked('/messages', (asked) => {
    if (asked.what === 'find') setFilter({ ...noFilter, words: asked.words });
    return asked.what === 'find';
  });
  return (
    <>
      <MessageFilters filter={filter} onFilter={setFilter} />
      <ListBar
        count={groups && found}
        noun="Message"
        sort={sort}
        sorts={letterSorts}
        onSort={setSort}
        isSelecting={choosing.chosen !== null}
        onSelect={found > 0 || choosing.chosen ? choosing.begin : undefined}
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
      {groups && oldAddresses.length > 0 ? <OldAddresses addresses={oldAddresses} /> : null}
      <Found {...{ list, groups, onShow }} shown={{ hidesWords, ownerName, choosing, openingId, onOpen }} />
      {groups && !list.hasFailed ? (
        <MoreItems list={list} shown={envelopes.length} perPage={envelopesPerPage} items=".envs > li" noun="messages" />
      ) : null}
      <p className="vh" role="status">
        {openingId === undefined ? '' : 'Opening the letter'}
      </p>
      {choosing.chosen ? (
        <ChosenLetters
          chosen={choosing.chosen}
          of={envelopes.length}
          isPart={list.hasMore}
          onAll={choosing.all}
          onDone={choosing.done}
        />
      ) : null}
    </>
  );
}

type FoundProps = Pick<LettersProps, 'onShow'> & {
  list: Envelopes;
  groups: Envelopes['groups'];
  shown: Pick<LetterListProps, 'hidesWords' | 'ownerName' | 'choosing' | 'openingId' | 'onOpen'>;
};

/** The letters that were found, or the reason why none is shown. */
function Found({ list, groups, shown, onShow }: FoundProps) {
  if (list.hasFailed) {
    const verb = list.isSearch ? 'search' : 'load';
    return <LoadError title={`We could not ${verb} your messages`} onRetry={list.retry} />;
  }
  if (groups === undefined) return <LettersSkeleton envelopes={skeletonRows} />;
  if (list.found > 0) {
    return (
      <LetterList
        {...{ groups, ...shown }}
        isByPerson={list.isByPerson}
        isBehind={list.isBehind}
        onDelete={(message) => onShow({ what: 'delete', message })}
      />
    );
  }
  if (list.all > 0) {
    return <Empty drawing="key" title="No messages found" text="Try adjusting your search or filter criteria" />;
  }
  return (
    <Empty
      drawing="letter"
      title="No messages yet"
      text="The first one can be three lines long."
      action={<Button onClick={() => onShow({ what: 'new' })}>Create Your First Message</Button>}
    />
  );
}
