import { useQueryClient } from '@tanstack/react-query';
import { deleteDocument, updateDocument, type Document as VaultDocument } from '#shared/contract/documents.ts';
import { ChosenBar } from '#web/components/choosing/chosen-bar.tsx';
import type { Choosing } from '#web/components/choosing/use-choosing.ts';
import { Button } from '#web/components/ui/button.tsx';
import { call } from '#web/lib/api/api.ts';
import { type ChangedEach, useChangeEach } from '#web/lib/api/change-each.ts';
import { clearDraft } from '#web/lib/drafts/draft-store.ts';
import { counted } from '#web/lib/format.ts';
import { undoing } from '#web/lib/take-back.ts';
import { toast } from '#web/lib/toast.ts';

type Change = 'show' | 'hide' | 'delete';

type ChosenDocumentsProps = {
  chosen: readonly VaultDocument[];
  /** How many the list shows. */
  of: number;
} & Pick<Choosing<VaultDocument>, 'all' | 'done'>;

/** What can be done with the documents that are chosen. */
export function ChosenDocuments({ chosen, of, all, done }: ChosenDocumentsProps) {
  const client = useQueryClient();
  const change = useChangeEach(changeOne, (result, what) => {
    const deleted = chosen.map(({ id }) => ({ kind: 'document' as const, id }));
    toast({ ...wordsFor(result, what), ...(what === 'delete' && result.failed === 0 ? undoing(client, deleted) : {}) });
    if (result.failed === 0) done();
  });
  const run = async (things: readonly VaultDocument[], what: Change) => {
    if (!change.isPending) await change.mutateAsync({ things, what });
  };
  const whole = chosen.filter(({ isDamaged }) => !isDamaged);
  const [hidden, shown] = [
    whole.filter((each) => !each.visibleToTrustedContact),
    whole.filter((each) => each.visibleToTrustedContact),
  ];
  return (
    <ChosenBar
      count={chosen.length}
      of={of}
      noun="document"
      onAll={all}
      onDone={done}
      onDelete={() => run(chosen, 'delete')}
      isBusy={change.isPending}
    >
      <Button
        variant="secondary"
        size="small"
        disabled={hidden.length === 0}
        busy={change.isPending}
        onClick={() => run(hidden, 'show')}
      >
        Show to contacts
      </Button>
      <Button
        variant="secondary"
        size="small"
        disabled={shown.length === 0}
        busy={change.isPending}
        onClick={() => run(shown, 'hide')}
      >
        Hide from contacts
      </Button>
    </ChosenBar>
  );
}

async function changeOne(document: VaultDocument, what: Change): Promise<void> {
  const { id, name, category, description } = document;
  if (what === 'delete') {
    await call(deleteDocument, { params: { id } });
    return clearDraft(`document:${id}`);
  }
  const body = { name, category, description, visibleToTrustedContact: what === 'show' };
  await call(updateDocument, { params: { id }, body });
}

function wordsFor({ changed, failed }: ChangedEach, what: Change) {
  const isDeletion = what === 'delete';
  if (failed > 0) {
    const some = `${failed} of ${counted(changed + failed, 'document')} could not be ${isDeletion ? 'deleted' : 'changed'}.`;
    return {
      title: isDeletion ? 'Delete Failed' : 'Update Failed',
      description: `${some} Please try again.`,
      variant: 'destructive' as const,
    };
  }
  const [them, are] = changed === 1 ? ['The document has been', 'is'] : [`${changed} documents have been`, 'are'];
  if (isDeletion) {
    const title = changed === 1 ? 'Document Deleted' : 'Documents Deleted';
    return { title, description: `${them} permanently deleted.` };
  }
  const seen = what === 'show' ? `${are} shown to your trusted contacts` : `${are} not shown to your trusted contacts`;
  return {
    title: changed === 1 ? 'Document Updated' : 'Documents Updated',
    description: `${changed === 1 ? 'The document' : `${changed} documents`} ${seen}.`,
  };
}
