import { useState } from 'react';
import type { Document as VaultDocument } from '#shared/contract/documents.ts';
import { type DocumentFilter, type DocumentSort, documentsPerPage } from '#shared/rules/documents/document-lists.ts';
import { hasFeature, type PlanName } from '#shared/rules/plans.ts';
import { ListBar } from '#web/components/choosing/list-bar.tsx';
import { useChoosing } from '#web/components/choosing/use-choosing.ts';
import { Page } from '#web/components/layout/page.tsx';
import { MoreItems } from '#web/components/list-pages/more-items.tsx';
import { useLastingActs } from '#web/components/list-pages/use-lasting-acts.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Empty, LoadError } from '#web/components/ui/empty.tsx';
import { type ListFilter, ListFilters } from '#web/components/ui/list-filters.tsx';
import { vaultHeadings } from '#web/content/vault-headings.ts';
import { useSessionEnded } from '#web/features/accounts/use-session-ended.ts';
import { VerificationBanner } from '#web/features/accounts/verification-banner.tsx';
import { ChosenDocuments } from '#web/features/documents/chosen-documents.tsx';
import { DeleteDocumentDialog } from '#web/features/documents/delete-document-dialog.tsx';
import { type DocumentActs, DocumentCard, DocumentSkeletons } from '#web/features/documents/document-card.tsx';
import { filterChoices, sortChoices } from '#web/features/documents/document-list.rules.ts';
import { StorageFull } from '#web/features/documents/storage-full.tsx';
import { useDocumentPages } from '#web/features/documents/use-document-pages.ts';
import { VaultUpgrade } from '#web/features/documents/vault-upgrade.tsx';
import { DeletedNote } from '#web/features/recently-deleted/deleted-note.tsx';
import { light } from '#web/lib/api/light-routes.ts';
import { readOften } from '#web/lib/api/query.ts';
import { useRead } from '#web/lib/api/reads.ts';
import { useAsked } from '#web/lib/asked-page.ts';
import { type FetchedPart, useFetchedPart } from '#web/lib/loading/use-fetched-part.ts';
import { useSession } from '#web/lib/session.ts';
import '#web/features/messages/list.css';

type Shown = { what: 'none' } | { what: 'new' } | { what: 'edit' | 'delete'; document: VaultDocument };
type Filter = ListFilter<DocumentFilter>;

const noFilter: Filter = { words: '', category: 'all' };

/** Loaded when an owner stores or changes a document: the list does not need it. */
const fetchForms = () => import('#web/features/documents/document-dialogs.tsx');

export function DocumentsPage() {
  const { user } = useSession();
  // The plan decides between two pages.
  if (user === null) {
    return (
      <Page {...vaultHeadings['/documents']}>
        <DocumentSkeletons />
      </Page>
    );
  }
  return hasFeature(user.plan, 'documentVault') ? <Vault plan={user.plan} /> : <NoVault />;
}

/** The vault, on a plan that has one. */
function Vault({ plan }: { plan: PlanName }) {
  const documents = useRead(light.listDocumentPage);
  const limits = useRead(light.getPlanLimits, readOften);
  const [filter, setFilter] = useState(noFilter);
  const { forms, shown, show, close } = useDialogs();
  const storage = limits.data?.storage;
  const canUpload = storage?.canUpload ?? true;
  const upload = () => show({ what: 'new' });
  useAsked('/documents', (asked) => {
    if (asked.what === 'find') setFilter({ ...noFilter, words: asked.words });
    // Room for an upload is known once the limits are.
    if (asked.what === 'new' && !limits.data) return limits.isError;
    if (asked.what === 'new' && canUpload) upload();
    return true;
  });
  useSessionEnded(documents.data === null);
  return (
    <Page
      {...vaultHeadings['/documents']}
      actions={
        <Button disabled={!canUpload} busy={forms.isFetching} onClick={upload}>
          Upload Document
        </Button>
      }
    >
      <VerificationBanner />
      {storage && !canUpload ? <StorageFull storage={storage} /> : null}
      <ListFilters
        label="Search documents"
        placeholder="Search documents..."
        categories={filterChoices}
        filter={filter}
        onFilter={setFilter}
      />
      {documents.isError && !documents.data ? (
        <LoadError
          title="We could not load your documents"
          text="They are safe. The connection failed. Try again, or come back in a few minutes."
          onRetry={() => documents.refetch()}
        />
      ) : documents.data ? (
        <DocumentList filter={filter} onShow={show} onUpload={canUpload ? upload : undefined} />
      ) : (
        <DocumentSkeletons />
      )}
      {documents.data ? <DeletedNote /> : null}
      {forms.part ? <forms.part.UploadDialog open={shown.what === 'new'} plan={plan} onClose={close} /> : null}
      <DocumentDialogs {...{ forms, shown }} onClose={close} />
    </Page>
  );
}

/** A plan without a vault. Documents of an earlier plan stay available. */
function NoVault() {
  const documents = useRead(light.listDocumentPage);
  const { forms, shown, show, close } = useDialogs();
  const hasDocuments = (documents.data?.all ?? 0) > 0;
  // A plan without a vault has nothing to search and nothing to add: the page says why.
  useAsked('/documents', () => true);
  useSessionEnded(documents.data === null);
  return (
    <Page {...vaultHeadings['/documents']}>
      <VerificationBanner />
      <VaultUpgrade hasDocuments={hasDocuments} />
      {hasDocuments ? <DocumentList filter={noFilter} onShow={show} /> : null}
      <DocumentDialogs {...{ forms, shown }} onClose={close} />
    </Page>
  );
}

type Forms = FetchedPart<Awaited<ReturnType<typeof fetchForms>>>;

/** The dialog that is open. One with a form opens once its part is loaded. */
function useDialogs() {
  const forms: Forms = useFetchedPart(fetchForms, { isFetchedWhenIdle: true });
  const [shown, setShown] = useState<Shown>({ what: 'none' });
  const show = async (next: Shown) => {
    if (next.what === 'delete') forms.unwant();
    if (next.what === 'delete' || (await forms.want())) setShown(next);
  };
  return { forms, shown, show, close: () => setShown({ what: 'none' }) };
}

type DocumentDialogsProps = { forms: Forms; shown: Shown; onClose: () => void };

function DocumentDialogs({ forms, shown, onClose }: DocumentDialogsProps) {
  return (
    <>
      {forms.part ? (
        <forms.part.EditDialog document={shown.what === 'edit' ? shown.document : undefined} onClose={onClose} />
      ) : null}
      <DeleteDocumentDialog document={shown.what === 'delete' ? shown.document : undefined} onClose={onClose} />
    </>
  );
}

type DocumentListProps = {
  filter: Filter;
  onShow: (shown: Shown) => void;
  /** Absent where nothing can be added. */
  onUpload?: (() => void) | undefined;
};

function DocumentList({ filter, onShow, onUpload }: DocumentListProps) {
  const [sort, setSort] = useState<DocumentSort>('newest');
  const list = useDocumentPages({ ...filter, sort });
  const { documents = [], found } = list;
  const choosing = useChoosing(documents);
  const acts = useLastingActs<VaultDocument, DocumentActs>({
    choose: choosing.choose,
    edit: (document) => onShow({ what: 'edit', document }),
    remove: (document) => onShow({ what: 'delete', document }),
  });
  useSessionEnded(list.isSignedOut);
  return (
    <>
      <ListBar
        count={list.documents && found}
        noun="Document"
        sort={sort}
        sorts={sortChoices}
        onSort={setSort}
        isSelecting={choosing.chosen !== null}
        onSelect={found > 0 || choosing.chosen ? choosing.begin : undefined}
        selectRef={choosing.buttonRef}
      />
      {list.hasFailed ? (
        <LoadError title={`We could not ${list.isSearch ? 'search' : 'load'} your documents`} onRetry={list.retry} />
      ) : !list.documents ? (
        <DocumentSkeletons />
      ) : found > 0 ? (
        <ul className="docs can-choose" aria-busy={list.isBehind}>
          {documents.map((document) => (
            <DocumentCard key={document.id} document={document} isChosen={choosing.isChosen(document)} acts={acts} />
          ))}
        </ul>
      ) : list.all > 0 ? (
        <Empty drawing="key" title="No documents found" text="Try adjusting your search or filter criteria" />
      ) : (
        <Empty
          drawing="seal"
          title="No documents yet"
          text="A photograph of the will is a good beginning."
          action={onUpload ? <Button onClick={onUpload}>Upload Your First Document</Button> : null}
        />
      )}
      {list.documents && !list.hasFailed ? (
        <MoreItems
          list={list}
          shown={documents.length}
          perPage={documentsPerPage}
          items=".docs > li"
          noun="documents"
        />
      ) : null}
      {choosing.chosen ? (
        <ChosenDocuments {...choosing} chosen={choosing.chosen} of={documents.length} isPart={list.hasMore} />
      ) : null}
    </>
  );
}
