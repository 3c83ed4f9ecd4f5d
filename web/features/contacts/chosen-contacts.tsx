import type { TrustedContact } from '#shared/contract/contacts.ts';
import { ChangedMeanwhile } from '#web/components/choosing/changed-meanwhile.tsx';
import { ChosenBar } from '#web/components/choosing/chosen-bar.tsx';
import { useChangeChosen } from '#web/components/choosing/use-change-chosen.ts';
import type { Choosing } from '#web/components/choosing/use-choosing.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { call } from '#web/lib/api/api.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';
import { contactState } from './contact-state.ts';

type Change = 'invite';

type ChosenContactsProps = {
  chosen: readonly TrustedContact[];
  /** Number of contacts in the list. */
  of: number;
} & Pick<Choosing<TrustedContact>, 'all' | 'done'>;

/** Actions for the chosen contacts. */
export function ChosenContacts({ chosen, of, all, done }: ChosenContactsProps) {
  const { run: withProof, dialog } = useFreshSignIn('Delete the contacts');
  const changeOne = async ({ id, version }: TrustedContact, what: Change | 'delete'): Promise<void> => {
    if (what === 'invite') return void (await call(vaultRoutes.resendInvitation, { params: { id } }));
    await withProof(() => call(vaultRoutes.deleteContact, { params: { id }, query: { version } }));
    return clearDraft(`contact:${id}`);
  };
  const { run, isPending, changedMeanwhile } = useChangeChosen<TrustedContact, Change>({
    ...{ kind: 'contact', nameOf: ({ name }) => name, changeOne, wordsOf, onDone: done },
    failureOf: () => ({ title: 'Invitation not sent', verb: 'invited' }),
  });
  const invitable = chosen.filter((contact) => contactState(contact).canBeInvited);
  return (
    <>
      <ChosenBar
        count={chosen.length}
        of={of}
        noun="contact"
        onAll={all}
        onDone={done}
        onDelete={() => run(chosen, 'delete')}
        isBusy={isPending}
      >
        <Button
          variant="secondary"
          size="small"
          disabled={invitable.length === 0}
          busy={isPending}
          onClick={() => run(invitable, 'invite')}
        >
          Invite again
        </Button>
      </ChosenBar>
      <ChangedMeanwhile names={changedMeanwhile} />
      {dialog}
    </>
  );
}

function wordsOf(changed: number, what: Change | 'delete') {
  if (what === 'delete') {
    return {
      title: changed === 1 ? 'Contact Deleted' : 'Contacts Deleted',
      description: changed === 1 ? 'They are not asked any more.' : `${changed} people are not asked any more.`,
    };
  }
  return {
    title: changed === 1 ? 'Invitation sent' : 'Invitations sent',
    description: `We write to ${changed === 1 ? 'them' : `${changed} people`} once more.`,
  };
}
