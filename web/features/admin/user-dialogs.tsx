import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import type { z } from 'zod';
import {
  type AdminUser,
  createAdminUser,
  createUserBody,
  deleteAdminUser,
  editUserBody,
  updateAdminUser,
} from '#shared/contract/admin.ts';
import { planNames, plans, registrablePlanNames } from '#shared/rules/plans.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { ConfirmDialog, Dialog } from '#web/components/ui/dialog.tsx';
import { CheckboxField, PasswordField, SelectField, TextField } from '#web/components/ui/field.tsx';
import { ApiError, call } from '#web/lib/api/api.ts';
import { useAct } from './use-act.ts';
import { nameOf } from './user-list.rules.ts';

const optionOf = (plan: keyof typeof plans) => ({ value: plan, label: plans[plan].title });
const roleOptions = [
  { value: 'user', label: 'User' },
  { value: 'admin', label: 'Admin' },
];
const roleHint = 'A label. Only the designated administrator sees this page.';

type CreateValues = z.input<typeof createUserBody>;

const nobody: CreateValues = { email: '', password: '', firstName: '', lastName: '', plan: 'free', role: 'user' };

/** Opens an account for another person, with a password for one sign-in. */
export function CreateUserDialog({ onClose }: { onClose: () => void }) {
  const { register, handleSubmit, formState } = useForm<CreateValues, unknown, z.output<typeof createUserBody>>({
    resolver: zodResolver(createUserBody),
    defaultValues: nobody,
  });
  const create = useAct({
    act: (body: z.output<typeof createUserBody>) => call(createAdminUser, { body }),
    success: 'User created successfully',
    fallback: 'Failed to create user',
    onDone: onClose,
  });
  const { errors } = formState;
  return (
    <Dialog open onClose={onClose} title="Create a user" closesOutside={false}>
      <form className="dialog-body" noValidate onSubmit={handleSubmit(create.perform)}>
        <div className="admin-pair">
          <TextField
            label="First name"
            autoComplete="off"
            error={errors.firstName?.message}
            {...register('firstName')}
          />
          <TextField label="Last name" autoComplete="off" error={errors.lastName?.message} {...register('lastName')} />
        </div>
        <TextField
          label="Email address"
          type="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          error={errors.email?.message ?? issueOf(create.error, 'email')}
          {...register('email')}
        />
        <PasswordField
          label="First password"
          autoComplete="new-password"
          hint="Give it to them yourself. They must choose another when they first sign in."
          error={errors.password?.message ?? issueOf(create.error, 'password')}
          {...register('password')}
        />
        <div className="admin-pair">
          <SelectField
            label="Plan"
            options={registrablePlanNames.map(optionOf)}
            hint="Given, without a payment"
            {...register('plan')}
          />
          <SelectField label="Role" options={roleOptions} hint={roleHint} {...register('role')} />
        </div>
        <Refusal error={create.error} />
        <div className="btns">
          <Button type="submit" busy={create.isBusy}>
            {create.isBusy ? 'Creating…' : 'Create the user'}
          </Button>
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
      {create.dialog}
    </Dialog>
  );
}

type EditValues = z.infer<typeof editUserBody>;
type EditUserDialogProps = { user: AdminUser; onClose: () => void; onDelete: () => void };

/** Plan, role and verification of an account; and the way to its deletion. */
export function EditUserDialog({ user, onClose, onDelete }: EditUserDialogProps) {
  const { plan, role, isEmailVerified, isAdministrator } = user;
  const { register, handleSubmit } = useForm<EditValues>({
    resolver: zodResolver(editUserBody),
    defaultValues: { plan, role, isEmailVerified },
  });
  const update = useAct({
    act: (body: EditValues) => call(updateAdminUser, { params: { id: user.id }, body }),
    success: 'User updated successfully',
    fallback: 'Failed to update user',
    onDone: onClose,
  });
  return (
    <Dialog open onClose={onClose} title={<>Edit {nameOf(user)}</>} closesOutside={false}>
      <form className="dialog-body" noValidate onSubmit={handleSubmit(update.perform)}>
        <p className="quiet admin-address">{user.email}</p>
        <div className="admin-pair">
          <SelectField
            label="Plan"
            options={planNames.map(optionOf)}
            hint="A change is given, without a payment"
            {...register('plan')}
          />
          <SelectField label="Role" options={roleOptions} hint={roleHint} {...register('role')} />
        </div>
        <CheckboxField label="The email address is verified" {...register('isEmailVerified')} />
        <Refusal error={update.error} />
        <div className="btns">
          <Button type="submit" busy={update.isBusy}>
            {update.isBusy ? 'Saving…' : 'Save the changes'}
          </Button>
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          {isAdministrator || user.deletesAt ? null : (
            <Button variant="danger-outline" onClick={onDelete}>
              Delete this user
            </Button>
          )}
        </div>
      </form>
      {update.dialog}
    </Dialog>
  );
}

/** Asks before the deletion of an account begins. */
export function DeleteUserDialog({ user, onClose }: { user: AdminUser; onClose: () => void }) {
  const remove = useAct({
    act: ({ id }: AdminUser) => call(deleteAdminUser, { params: { id } }),
    success: 'User deleted successfully',
    fallback: 'Failed to delete user',
    onDone: onClose,
  });
  return (
    <>
      <ConfirmDialog
        open
        onClose={onClose}
        onConfirm={() => remove.perform(user)}
        title={`Delete ${nameOf(user)}?`}
        text={
          <>
            <p>Are you sure you want to delete this user? This action cannot be undone.</p>
            <p className="quiet">
              You cannot take it back, but they can. They are signed out and emailed, and have 30 days to restore the
              account. Then all of it is deleted.
            </p>
            <Refusal error={remove.error} />
          </>
        }
        cancelLabel="Keep the user"
        confirmLabel={remove.isBusy ? 'Deleting…' : 'Delete the user'}
        busy={remove.isBusy}
        danger
      />
      {remove.dialog}
    </>
  );
}

/** The service's own sentence, where it is about no field. */
export function Refusal({ error }: { error: Error | null }) {
  if (!error || issueOf(error, 'email') || issueOf(error, 'password')) return null;
  return (
    <Banner tone="bad" role="alert">
      {error.message}
    </Banner>
  );
}

function issueOf(error: Error | null, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.issues?.find(({ path }) => path === field)?.message;
}
