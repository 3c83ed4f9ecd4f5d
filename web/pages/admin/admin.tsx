import { useState } from 'react';
import { Redirect } from 'wouter';
import type { AdminUser } from '#shared/contract/admin.ts';
import { Page } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Spinner } from '#web/components/ui/spinner.tsx';
import { BulkEmailDialog } from '#web/features/admin/bulk-email-dialog.tsx';
import { BulkProgress } from '#web/features/admin/bulk-progress.tsx';
import { ComplaintList } from '#web/features/admin/complaint-list.tsx';
import { FailedMailList } from '#web/features/admin/failed-mail-list.tsx';
import { ProofGate, SecondStepFirst, useLacksSecondStep } from '#web/features/admin/proof.tsx';
import { ReleaseList } from '#web/features/admin/release-list.tsx';
import { RevenueCards } from '#web/features/admin/revenue-cards.tsx';
import { ServiceState } from '#web/features/admin/service-state.tsx';
import { CreateUserDialog, DeleteUserDialog, EditUserDialog } from '#web/features/admin/user-dialogs.tsx';
import { type Selection, withSelected } from '#web/features/admin/user-list.rules.ts';
import { UserList } from '#web/features/admin/user-list.tsx';
import { useSession } from '#web/lib/session.ts';
import '#web/features/messages/list.css';
import '#web/features/admin/admin.css';
import '#web/features/admin/operator-lists.css';

type Shown = { what: 'none' | 'create' | 'write' } | { what: 'edit' | 'delete'; user: AdminUser };

const nobody: Selection = new Map();

/** For the designated administrator. The service refuses everybody else; the page leads them home. */
export function AdminPage() {
  const { user } = useSession();
  if (!user) return null;
  return user.isAdministrator ? <AdminPanel /> : <Redirect to="/dashboard" replace />;
}

function AdminPanel() {
  const lacksSecondStep = useLacksSecondStep();
  if (lacksSecondStep === false) return <AdminDashboard />;
  return <Page title="Admin Panel">{lacksSecondStep ? <SecondStepFirst /> : <Spinner />}</Page>;
}

function AdminDashboard() {
  const [shown, setShown] = useState<Shown>({ what: 'none' });
  const [selection, setSelection] = useState(nobody);
  const close = () => setShown({ what: 'none' });
  return (
    <Page
      title="Admin Panel"
      intro="Accounts, figures and news. What people keep here stays theirs."
      actions={<Button onClick={() => setShown({ what: 'create' })}>Create a user</Button>}
    >
      <ProofGate>
        <ServiceState />
        <FailedMailList />
        <ReleaseList />
        <RevenueCards />
        <UserList
          selection={selection}
          onSelect={(users, isSelected) => setSelection((before) => withSelected(before, users, isSelected))}
          onClear={() => setSelection(nobody)}
          onWrite={() => setShown({ what: 'write' })}
          onEdit={(user) => setShown({ what: 'edit', user })}
          onDelete={(user) => setShown({ what: 'delete', user })}
        />
        <BulkProgress />
        <ComplaintList />
      </ProofGate>
      {shown.what === 'create' ? <CreateUserDialog onClose={close} /> : null}
      {shown.what === 'edit' ? (
        <EditUserDialog
          key={shown.user.id}
          user={shown.user}
          onClose={close}
          onDelete={() => setShown({ what: 'delete', user: shown.user })}
        />
      ) : null}
      {shown.what === 'delete' ? <DeleteUserDialog user={shown.user} onClose={close} /> : null}
      {shown.what === 'write' ? (
        <BulkEmailDialog
          selection={selection}
          onClose={close}
          onSent={() => {
            close();
            setSelection(nobody);
          }}
        />
      ) : null}
    </Page>
  );
}
