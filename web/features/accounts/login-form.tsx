import { useForm } from 'react-hook-form';
import type { login, SecondFactor } from '#shared/contract/accounts.ts';
import type { RouteBodyInput } from '#shared/contract/route.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { CheckboxField, PasswordField, TextField } from '#web/components/ui/field.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { lateCheck } from '#web/lib/loading/late-check.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';
import { toast } from '#web/lib/toast.ts';
import { loginFailure } from './sign-in.ts';
import { useEntrance } from './use-entrance.ts';

type Values = RouteBodyInput<typeof login>;

type LoginFormProps = {
  /** The address to begin with; empty where none is known. */
  email: string;
  /** Called with the address at each change of the field. */
  onEmail: (email: string) => void;
  onErrors: (hasErrors: boolean) => void;
  /** True to stay signed in. Applies to every sign-in on the page. */
  keepSignedIn: boolean;
  onKeep: (keepSignedIn: boolean) => void;
  /** The password is right, and the person has turned a second factor on. */
  onSecondStep: (factors: SecondFactor[]) => Promise<unknown>;
  /** A field got the focus, so the next part may soon be needed. */
  onReach: () => void;
};

const check = lateCheck(async () => (await import('./sign-in-checks.ts')).loginCheck);

/** Email and password. The page opens the dashboard once a person is signed in. */
export function LoginForm(props: LoginFormProps) {
  const { email, onEmail, onErrors, keepSignedIn, onKeep, onSecondStep, onReach } = props;
  const enter = useEntrance();
  const { register, handleSubmit, formState, setError } = useForm<Values>({
    resolver: check.resolver,
    defaultValues: { email, password: '' },
  });
  const signIn = useChange(light.login, {
    onSuccess: (answer) => {
      // The form stays busy until the next part is loaded.
      return answer.ok ? enter(answer.user) : onSecondStep(answer.secondFactor);
    },
    onError: (error) => {
      const isAboutTheFields = showIssues(error, ['email', 'password'], setError);
      onErrors(isAboutTheFields);
      if (isAboutTheFields) return;
      toast({ title: 'Login Failed', description: loginFailure(error), variant: 'destructive' });
    },
  });
  const { errors, isSubmitting } = formState;
  const reach = () => {
    check.fetch();
    onReach();
  };
  const submit = useSendOnce(handleSubmit, {
    send: (values) => signIn.mutateAsync({ body: { ...values, keepSignedIn } }),
    onErrors,
  });
  return (
    <form className="form" noValidate onSubmit={submit} onFocus={reach}>
      <TextField
        label="Email"
        type="email"
        autoComplete="username webauthn"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.email?.message}
        {...register('email', { onChange: ({ target }) => onEmail(target.value) })}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        error={errors.password?.message}
        {...register('password')}
      />
      <CheckboxField
        label="Keep me signed in"
        name="keepSignedIn"
        hint={
          keepSignedIn
            ? 'For 14 days on this device.'
            : 'You are signed out after 30 minutes, or when you close the browser.'
        }
        checked={keepSignedIn}
        onChange={({ target }) => onKeep(target.checked)}
      />
      {/* The toast goes after seconds; why it failed stays beside the form. */}
      {signIn.isError && !errors.email && !errors.password ? (
        <Banner tone="bad">{loginFailure(signIn.error)}</Banner>
      ) : null}
      <Button type="submit" wide busy={isSubmitting}>
        {isSubmitting ? 'Signing in…' : 'Sign In'}
      </Button>
    </form>
  );
}
