import { type AdminUser, verifyAdminUser } from '#shared/contract/admin.ts';
import { plans } from '#shared/rules/plans.ts';
import { Badge } from '#web/components/ui/badge.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { call } from '#web/lib/api/api.ts';
import { isoDay, longDate, shortDate } from '#web/lib/format.ts';
import { useAct } from './use-act.ts';
import { nameOf, type Selection } from './user-list.rules.ts';

type UserTableProps = {
  users: readonly AdminUser[];
  selection: Selection;
  onSelect: (users: readonly AdminUser[], isSelected: boolean) => void;
  onEdit: (user: AdminUser) => void;
  onDelete: (user: AdminUser) => void;
};

/** A page of users. On a phone the person's own cell tells what the columns tell elsewhere. */
export function UserTable({ users, selection, onSelect, ...rows }: UserTableProps) {
  const verify = useAct({
    act: ({ id }: AdminUser) => call(verifyAdminUser, { params: { id } }),
    success: 'User verified successfully',
    fallback: 'Failed to verify user',
  });
  const areAllSelected = users.every(({ id }) => selection.has(id));
  return (
    <>
      <table className="admin-table admin-users">
        <caption className="vh">Users</caption>
        <thead>
          <tr>
            <th scope="col" className="admin-tick">
              <label className="admin-tick-in tick">
                <input
                  type="checkbox"
                  checked={areAllSelected}
                  onChange={(event) => onSelect(users, event.target.checked)}
                />
                <span className="vh">Select everybody on this page</span>
              </label>
            </th>
            <th scope="col">Person</th>
            <th scope="col" className="admin-wide">
              Plan
            </th>
            <th scope="col" className="admin-wide">
              Role
            </th>
            <th scope="col" className="admin-wide">
              Address
            </th>
            <th scope="col" className="admin-wide">
              Joined
            </th>
            <th scope="col" className="admin-wide">
              Last signed in
            </th>
            <th scope="col">
              <span className="vh">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <UserRow
              key={user.id}
              user={user}
              isSelected={selection.has(user.id)}
              onSelect={(isSelected) => onSelect([user], isSelected)}
              onVerify={() => verify.perform(user)}
              {...rows}
            />
          ))}
        </tbody>
      </table>
      {verify.dialog}
    </>
  );
}

type UserRowProps = Pick<UserTableProps, 'onEdit' | 'onDelete'> & {
  user: AdminUser;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  onVerify: () => void;
};

function UserRow({ user, isSelected, onSelect, onVerify, onEdit, onDelete }: UserRowProps) {
  const name = nameOf(user);
  return (
    <tr>
      <td className="admin-tick">
        <label className="admin-tick-in tick">
          <input type="checkbox" checked={isSelected} onChange={(event) => onSelect(event.target.checked)} />
          <span className="vh">Select {name}</span>
        </label>
      </td>
      <th scope="row" className="admin-person">
        <bdi className="admin-name">{name}</bdi>
        {name === user.email ? null : <span className="admin-address quiet">{user.email}</span>}
        {user.deletesAt ? <Badge tone="bad">Goes on {shortDate(user.deletesAt)}</Badge> : null}
        <span className="admin-narrow small quiet">
          {planWords(user)} · {user.isEmailVerified ? 'Verified' : 'Unverified'}
          <span className="admin-joined">joined {shortDate(user.createdAt)}</span>
        </span>
      </th>
      <td className="admin-wide">{planWords(user)}</td>
      <td className="admin-wide">{user.role === 'admin' ? 'Admin' : 'User'}</td>
      <td className="admin-wide">
        {user.isEmailVerified ? (
          <Badge tone="ready">Verified</Badge>
        ) : (
          <Button variant="secondary" size="small" onClick={onVerify} aria-label={`Verify ${name}`}>
            Verify
          </Button>
        )}
      </td>
      <td className="admin-wide">
        <time dateTime={isoDay(user.createdAt)} title={longDate(user.createdAt)}>
          {shortDate(user.createdAt)}
        </time>
      </td>
      <td className="admin-wide">{user.lastLoginAt ? shortDate(user.lastLoginAt) : 'Never'}</td>
      <td className="admin-acts">
        <button type="button" className="icon-btn" aria-label={`Edit ${name}`} onClick={() => onEdit(user)}>
          <Icon name="pen" />
        </button>
        {user.isAdministrator || user.deletesAt ? null : (
          <button
            type="button"
            className="icon-btn admin-wide-act"
            aria-label={`Delete ${name}`}
            onClick={() => onDelete(user)}
          >
            <Icon name="trash" />
          </button>
        )}
      </td>
    </tr>
  );
}

function planWords({ plan, isPlanGranted }: AdminUser): string {
  return isPlanGranted ? `${plans[plan].title}, given` : plans[plan].title;
}
