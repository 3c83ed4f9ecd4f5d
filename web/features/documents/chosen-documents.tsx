import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import { ChangedMeanwhile } from '#web/components/choosing/changed-meanwhile.tsx';
import { ChosenBar } from '#web/components/choosing/chosen-bar.tsx';
import { useChangeChosen } from '#web/components/choosing/use-change-chosen.ts';
import type { Choosing } from '#web/components/choosing/use-choosing.ts';
import { Button } from '#web/components/ui/button.tsx';
import { call } from '#web/lib/api/api.ts';
import { vaultRoutes } from '#web/lib/api/vault-routes.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';
import { keptWords } from '#web/lib/take-back.ts';

type Change = 'show' | 'hide';

type ChosenDocumentsProps = {
  chosen: readonly VaultDocument[];
  /** Number of documents that the list shows. */
  of: number;
  /** True if further documents were found that are not shown yet. */
  isPart: boolean;
} & Pick<Choosing<VaultDocument>, 'all' | 'done'>;

/** Actions for the chosen documents. */
export function ChosenDocuments({ chosen, of, isPart, all, done }: ChosenDocumentsProps) {
  const { run, isPending, changedMeanwhile } = useChangeChosen<VaultDocument, Change>({
    ...{ kind: 'document', nameOf: ({ name }) => name, changeOne, wordsOf, onDone: done },
    failureOf: () => ({ title: 'Update Failed', verb: 'changed' }),
  });
  const whole = chosen.filter(({ isDamaged }) => !isDamaged);
  const [hidden, shown] = [
    whole.filter((each) => !each.visibleToTrustedContact),
    whole.filter((each) => each.visibleToTrustedContact),
  ];
  return (
    <>
      <ChosenBar
        count={chosen.length}
        of={of}
        isPart={isPart}
        noun="document"
        onAll={all}
        onDone={done}
        onDelete={() => run(chosen, 'delete')}
        isBusy={isPending}
      >
        <Button
          variant="secondary"
          size="small"
          disabled={hidden.length === 0}
          busy={isPending}
          onClick={() => run(hidden, 'show')}
        >
          Show to contacts
        </Button>
        <Button
          variant="secondary"
          size="small"
          disabled={shown.length === 0}
          busy={isPending}
          onClick={() => run(shown, 'hide')}
        >
          Hide from contacts
        </Button>
      </ChosenBar>
      <ChangedMeanwhile names={changedMeanwhile} />
    </>
  );
}

async function changeOne(document: VaultDocument, what: Change | 'delete'): Promise<void> {
  const { id, name, category, description, version } = document;
  if (what === 'delete') {
    await call(vaultRoutes.deleteDocument, { params: { id }, query: { version } });
    return clearDraft(`document:${id}`);
  }
  const body = { name, category, description, visibleToTrustedContact: what === 'show', version };
  await call(vaultRoutes.updateDocument, { params: { id }, body });
}

function wordsOf(changed: number, what: Change | 'delete') {
  if (what === 'delete') {
    const title = changed === 1 ? 'Document Deleted' : 'Documents Deleted';
    return { title, description: keptWords(changed) };
  }
  const are = changed === 1 ? 'is' : 'are';
  const seen = what === 'show' ? `${are} shown to your trusted contacts` : `${are} not shown to your trusted contacts`;
  return {
    title: changed === 1 ? 'Document Updated' : 'Documents Updated',
    description: `${changed === 1 ? 'The document' : `${changed} documents`} ${seen}.`,
  };
}
