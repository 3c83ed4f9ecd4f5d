import { useState } from 'react';
import type { TrustedContact } from '#shared/contract/contacts.ts';
import { ListBar } from '#web/components/choosing/list-bar.tsx';
import { useChoosing } from '#web/components/choosing/use-choosing.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Empty, LoadError } from '#web/components/ui/empty.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { SkeletonRows } from '#web/components/ui/skeleton.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { ownerNameOf } from '#web/features/accounts/owner-name.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { VerificationBanner } from '#web/features/accounts/verification-banner.tsx';
import { ChosenContacts } from '#web/features/contacts/chosen-contacts.tsx';
import { ContactCard } from '#web/features/contacts/contact-card.tsx';
import { DeleteContactDialog, useInvite } from '#web/features/contacts/contact-dialogs.tsx';
import {
  type ContactSort,
  contactSorts,
  matchingContacts,
  sortedContacts,
} from '#web/features/contacts/contact-state.ts';
import { DeletedNote } from '#web/features/recently-deleted/deleted-note.tsx';
import { light } from '#web/lib/api/light-routes.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { useAsked } from '#web/lib/asked-page.ts';
import { useFetchedPart } from '#web/lib/loading/use-fetched-part.ts';
import { useSession } from '#web/lib/session.ts';
import '#web/features/messages/list.css';

const skeletonRows = 3;

/** Loaded when an owner names or changes a contact: the list does not need it. */
const fetchNaming = () => import('#web/features/contacts/contact-dialog.tsx');

type Shown = { what: 'none' } | { what: 'new' } | { what: 'edit' | 'delete'; contact: TrustedContact };

export function ContactsPage() {
  const { user, isVerified } = useSession();
  const contacts = useRead(light.listContacts);
  const [words, setWords] = useState('');
  const naming = useFetchedPart(fetchNaming, { isFetchedWhenIdle: true });
  const [shown, setShown] = useState<Shown>({ what: 'none' });
  const show = async (next: Shown) => {
    if (next.what === 'delete') naming.unwant();
    if (next.what === 'delete' || (await naming.want())) setShown(next);
  };
  const close = () => setShown({ what: 'none' });
  const edited = shown.what === 'edit' ? shown.contact : undefined;
  useAsked('/contacts', (asked) => {
    if (asked.what === 'new') show({ what: 'new' });
    if (asked.what === 'find') setWords(asked.words);
    return true;
  });
  useSessionEnded(contacts.data === null);
  return (
    <Page
      {...vaultHeadings['/contacts']}
      actions={
        <Button busy={naming.isFetching} onClick={() => show({ what: 'new' })}>
          Add Trusted Contact
        </Button>
      }
    >
      <VerificationBanner />
      {/* biome-ignore lint/a11y/useSemanticElements: browsers from before 2023 do not know the element of that name. */}
      <div className="people-search" role="search">
        <label className="search">
          <span className="vh">Search contacts</span>
          <Icon name="search" />
          <input
            className="input"
            type="search"
            placeholder="Search contacts..."
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </label>
      </div>
      {contacts.isError && !contacts.data ? (
        <LoadError
          title="We could not load your contacts"
          text="They are safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => contacts.refetch()}
        />
      ) : contacts.data ? (
        <ContactList contacts={contacts.data} words={words} onShow={show} />
      ) : (
        <SkeletonRows rows={skeletonRows} label="Loading contacts" />
      )}
      {contacts.data ? <DeletedNote /> : null}
      {naming.part ? (
        <naming.part.ContactDialog
          // Another contact is another form.
          key={edited?.id ?? 'new'}
          open={shown.what === 'new' || shown.what === 'edit'}
          contact={edited}
          isVerified={isVerified}
          ownerName={{ name: ownerNameOf(user), firstName: user?.firstName || ownerNameOf(user) }}
          onClose={close}
        />
      ) : null}
      <DeleteContactDialog contact={shown.what === 'delete' ? shown.contact : undefined} onClose={close} />
    </Page>
  );
}

type ContactListProps = { contacts: readonly TrustedContact[]; words: string; onShow: (shown: Shown) => void };

function ContactList({ contacts, words, onShow }: ContactListProps) {
  const { invite, invitingId } = useInvite();
  // Confirmed contacts first.
  const [sort, setSort] = useState<ContactSort>('answer');
  const found = sortedContacts(matchingContacts(contacts, words), sort);
  const choosing = useChoosing(found);
  return (
    <>
      <ListBar
        count={found.length}
        noun="Contact"
        sort={sort}
        sorts={contactSorts}
        onSort={setSort}
        isSelecting={choosing.chosen !== null}
        onSelect={found.length > 0 || choosing.chosen ? choosing.begin : undefined}
        selectRef={choosing.buttonRef}
      />
      {found.length > 0 ? (
        <ul className="people can-choose">
          {found.map((contact) => (
            <ContactCard
              key={contact.id}
              contact={contact}
              isChosen={choosing.isChosen(contact)}
              onChoose={() => choosing.choose(contact)}
              onEdit={() => onShow({ what: 'edit', contact })}
              onDelete={() => onShow({ what: 'delete', contact })}
              onInvite={() => invite(contact)}
              isInviting={invitingId === contact.id}
            />
          ))}
        </ul>
      ) : contacts.length > 0 ? (
        <Empty drawing="key" title="No contacts found" text="Try adjusting your search." />
      ) : (
        <Empty
          drawing="hands"
          title="No trusted contacts yet"
          text="Name one person who would know. They have nothing to do until we ask them."
          action={<Button onClick={() => onShow({ what: 'new' })}>Add Trusted Contact</Button>}
        />
      )}
      {choosing.chosen ? <ChosenContacts {...choosing} chosen={choosing.chosen} of={found.length} /> : null}
    </>
  );
}
