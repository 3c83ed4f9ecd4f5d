import { useRef, useState } from 'react';
import { listMessages, type Message } from '#shared/contract/messages.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Empty, LoadError } from '#web/components/ui/empty.tsx';
import { ownerNameOf } from '#web/features/accounts/owner-name.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { VerificationBanner } from '#web/features/accounts/verification-banner.tsx';
import { DeliveredDialog } from '#web/features/messages/delivered-dialog.tsx';
import { ChosenBar } from '#web/features/messages/list/chosen-bar.tsx';
import { DeleteMessageDialog } from '#web/features/messages/list/delete-message-dialog.tsx';
import { useHiddenWords } from '#web/features/messages/list/hidden-words.ts';
import type { LetterSort } from '#web/features/messages/list/letter-groups.rules.ts';
import { LetterList } from '#web/features/messages/list/letter-list.tsx';
import { LettersSkeleton } from '#web/features/messages/list/letters-skeleton.tsx';
import { ListBar } from '#web/features/messages/list/list-bar.tsx';
import { type MessageFilter, MessageFilters } from '#web/features/messages/list/message-filters.tsx';
import { matchingMessages } from '#web/features/messages/list/message-list.rules.ts';
import { MessageDialog } from '#web/features/messages/message-dialog.tsx';
import { DeletedNote } from '#web/features/recently-deleted/deleted-note.tsx';
import { useRead } from '#web/lib/api/reads.ts';
import { useSession } from '#web/lib/session.ts';
import '#web/features/messages/list.css';

const skeletonRows = 5;
const noFilter: MessageFilter = { words: '', category: 'all' };

type Shown = { what: 'none' } | { what: 'new' } | { what: 'edit' | 'read' | 'delete'; message: Message };

export function MessagesPage() {
  const { user } = useSession();
  const ownerName = ownerNameOf(user);
  const messages = useRead(listMessages);
  const [shown, setShown] = useState<Shown>({ what: 'none' });
  const close = () => setShown({ what: 'none' });
  const messageOf = (what: 'edit' | 'read' | 'delete') => (shown.what === what ? shown.message : undefined);
  useSessionEnded(messages.data === null);
  return (
    <Page
      title="Messages"
      intro="Letters for the people you love, kept until they are needed"
      actions={<Button onClick={() => setShown({ what: 'new' })}>Create Message</Button>}
    >
      <VerificationBanner />
      {messages.isError && !messages.data ? (
        <LoadError
          title="We could not load your messages"
          text="They are safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => messages.refetch()}
        />
      ) : (
        <Letters messages={messages.data ?? undefined} ownerName={ownerName} onShow={setShown} />
      )}
      <DeletedNote />
      <MessageDialog
        // Another message is another form.
        key={messageOf('edit')?.id ?? 'new'}
        open={shown.what === 'new' || shown.what === 'edit'}
        message={messageOf('edit')}
        ownerName={ownerName}
        onClose={close}
      />
      <DeliveredDialog message={messageOf('read')} onClose={close} />
      <DeleteMessageDialog message={messageOf('delete')} onClose={close} />
    </Page>
  );
}

type LettersProps = {
  /** Undefined while they are being read; what stands round them is there already. */
  messages: readonly Message[] | undefined;
  ownerName: string;
  onShow: (shown: Shown) => void;
};

function Letters({ messages, ownerName, onShow }: LettersProps) {
  const [filter, setFilter] = useState(noFilter);
  const [sort, setSort] = useState<LetterSort>('person');
  const [hidesWords, hideWords] = useHiddenWords();
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const selectButton = useRef<HTMLButtonElement>(null);
  const found = matchingMessages(messages ?? [], filter);
  const choose = ({ id }: Message) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <>
      <MessageFilters filter={filter} onFilter={setFilter} />
      <ListBar
        count={messages && found.length}
        hidesWords={hidesWords}
        onHideWords={hideWords}
        sort={sort}
        onSort={setSort}
        isSelecting={chosen !== null}
        onSelect={found.length > 0 || chosen ? () => setChosen(chosen ? null : new Set()) : undefined}
        selectRef={selectButton}
      />
      {messages === undefined ? (
        <LettersSkeleton envelopes={skeletonRows} />
      ) : found.length > 0 ? (
        <LetterList
          {...{ found, messages, sort, hidesWords, ownerName, chosen }}
          onChoose={choose}
          onOpen={(message) => onShow({ what: message.status === 'delivered' ? 'read' : 'edit', message })}
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
      {chosen ? (
        <ChosenBar
          chosen={found.filter(({ id }) => chosen.has(id))}
          of={found.length}
          onAll={() => setChosen(new Set(found.map(({ id }) => id)))}
          onDone={() => {
            setChosen(null);
            // The bar goes away, and the focus would go with it.
            selectButton.current?.focus();
          }}
        />
      ) : null}
    </>
  );
}
