import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useLocation } from 'wouter';
import { login, loginBody } from '#shared/contract/accounts.ts';
import type { RouteBodyInput } from '#shared/contract/route.ts';
import { Button } from '#web/components/ui/button.tsx';
import { PasswordField, TextField } from '#web/components/ui/field.tsx';
import { call } from '#web/lib/api.ts';
import { toast } from '#web/lib/toast.ts';
import { beginSession, loginFailure } from './sign-in.ts';

type Values = RouteBodyInput<typeof login>;

/** Email and password. The page goes to the dashboard by itself once somebody is signed in. */
export function LoginForm({ onErrors }: { onErrors: (hasErrors: boolean) => void }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { register, handleSubmit, formState } = useForm<Values>({
    resolver: zodResolver(loginBody),
    defaultValues: { email: '', password: '' },
  });
  const signIn = useMutation({
    mutationFn: (body: Values) => call(login, { body }),
    onSuccess: ({ user }) => {
      toast({ title: 'Success', description: 'Logged in successfully' });
      beginSession(client, user);
      navigate('/');
    },
    onError: (error) => {
      toast({ title: 'Login Failed', description: loginFailure(error), variant: 'destructive' });
    },
  });
  const { errors } = formState;
  const submit = handleSubmit(
    (values) => {
      onErrors(false);
      if (!signIn.isPending) signIn.mutate(values);
    },
    () => onErrors(true),
  );
  return (
    <form className="form" noValidate onSubmit={submit}>
      <TextField
        label="Email"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.email?.message}
        {...register('email')}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        error={errors.password?.message}
        {...register('password')}
      />
      <Button type="submit" wide busy={signIn.isPending}>
        {signIn.isPending ? 'Signing in…' : 'Sign In'}
      </Button>
    </form>
  );
}
