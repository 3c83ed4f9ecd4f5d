import { useState } from 'react';
import { listMessages, type Message } from '#shared/contract/messages.ts';
import { getRelease } from '#shared/contract/release/release.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Empty, LoadError } from '#web/components/ui/empty.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { ownerNameOf } from '#web/features/accounts/owner-name.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { VerificationBanner } from '#web/features/accounts/verification-banner.tsx';
import { DeleteMessageDialog } from '#web/features/messages/delete-message-dialog.tsx';
import { DeliveredDialog } from '#web/features/messages/delivered-dialog.tsx';
import { MessageDialog } from '#web/features/messages/message-dialog.tsx';
import { type MessageFilter, MessageFilters } from '#web/features/messages/message-filters.tsx';
import { matchingMessages } from '#web/features/messages/message-list.rules.ts';
import { MessageRow } from '#web/features/messages/message-row.tsx';
import { useRead } from '#web/lib/api/reads.ts';
import { counted } from '#web/lib/format.ts';
import { useSession } from '#web/lib/session.ts';
import '#web/features/messages/list.css';

const skeletonRows = 5;

type Shown = { what: 'none' } | { what: 'new' } | { what: 'edit' | 'read' | 'delete'; message: Message };

export function MessagesPage() {
  const { user } = useSession();
  const messages = useRead(listMessages);
  const [filter, setFilter] = useState<MessageFilter>({ words: '', category: 'all' });
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
      <MessageFilters filter={filter} onFilter={setFilter} />
      {messages.isError && !messages.data ? (
        <LoadError
          title="We could not load your messages"
          text="They are safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => messages.refetch()}
        />
      ) : messages.data ? (
        <MessageList messages={messages.data} filter={filter} onShow={setShown} />
      ) : (
        <SkeletonRows rows={skeletonRows} label="Loading messages" />
      )}
      <MessageDialog
        // Another message is another form.
        key={messageOf('edit')?.id ?? 'new'}
        open={shown.what === 'new' || shown.what === 'edit'}
        message={messageOf('edit')}
        ownerName={ownerNameOf(user)}
        onClose={close}
      />
      <Delivered message={messageOf('read')} onClose={close} />
      <DeleteMessageDialog message={messageOf('delete')} onClose={close} />
    </Page>
  );
}

type MessageListProps = { messages: readonly Message[]; filter: MessageFilter; onShow: (shown: Shown) => void };

function MessageList({ messages, filter, onShow }: MessageListProps) {
  const isFiltered = filter.words.trim() !== '' || filter.category !== 'all';
  const found = matchingMessages(messages, filter);
  return (
    <>
      <h2 className="entries-title" aria-live="polite">
        {counted(found.length, 'Message')}
      </h2>
      {found.length > 0 ? (
        <ul className="entries">
          {found.map((message) => (
            <MessageRow
              key={message.id}
              message={message}
              onOpen={() => onShow({ what: message.status === 'delivered' ? 'read' : 'edit', message })}
              onDelete={() => onShow({ what: 'delete', message })}
            />
          ))}
        </ul>
      ) : isFiltered ? (
        <Empty drawing="key" title="No messages found" text="Try adjusting your search or filter criteria" />
      ) : (
        <Empty
          drawing="letter"
          title="No messages yet"
          text="The first one can be three lines long."
          action={<Button onClick={() => onShow({ what: 'new' })}>Create Your First Message</Button>}
        />
      )}
    </>
  );
}

function Delivered({ message, onClose }: { message: Message | undefined; onClose: () => void }) {
  const release = useRead(getRelease, { enabled: message !== undefined });
  return <DeliveredDialog message={message} deliveries={release.data?.deliveries ?? []} onClose={onClose} />;
}
