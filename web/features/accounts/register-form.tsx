import { useId } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { Link } from 'wouter';
import type { z } from 'zod';
import type { registerForm } from '#shared/contract/accounts.ts';
import { Button } from '#web/components/ui/button.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { lateCheck } from '#web/lib/loading/late-check.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';
import { toast } from '#web/lib/toast.ts';
import { ProviderLinks } from './provider-links.tsx';
import { createWords, fieldNames, RegisterFields, type RegistrablePlan } from './register-fields.tsx';
import { messageOf } from './sign-in.ts';
import { StrengthMeter } from './strength-meter.tsx';

type Values = z.input<typeof registerForm>;
type Answers = z.output<typeof registerForm>;
type Form = UseFormReturn<Values, unknown, Answers>;

const check = lateCheck(async () => (await import('./sign-in-checks.ts')).registerCheck);

type RegisterFormProps = {
  plan: RegistrablePlan;
  onPlan: (plan: RegistrablePlan) => void;
  onRegistered: (email: string) => void;
  onErrors: (hasErrors: boolean) => void;
};

export function RegisterForm({ plan, onPlan, onRegistered, onErrors }: RegisterFormProps) {
  const form: Form = useForm<Values, unknown, Answers>({
    resolver: check.resolver,
    defaultValues: { firstName: '', lastName: '', email: '', password: '', confirmPassword: '', plan },
  });
  const { register, handleSubmit, setError, formState } = form;
  const { errors, isSubmitted, isSubmitting } = formState;
  const create = useChange(light.register, {
    onSuccess: (_, { body: { email } }) => {
      toast({ title: 'Registration Successful', description: 'Please check your email to verify your account.' });
      onRegistered(email);
    },
    onError: (error) => {
      toast({ title: 'Registration Failed', description: messageOf(error), variant: 'destructive' });
      onErrors(showIssues(error, fieldNames, setError));
    },
  });
  const submit = useSendOnce(handleSubmit, {
    send: (body) => create.mutateAsync({ body }),
    onErrors,
  });
  const planField = register('plan', { onChange: (event) => onPlan(event.target.value) });
  return (
    <form className="form" noValidate onSubmit={submit} onFocus={check.fetch}>
      <RegisterFields
        bind={(name) => register(name, name === 'password' && isSubmitted ? { deps: ['confirmPassword'] } : {})}
        errorOf={(name) => errors[name]?.message}
        meter={<Meter form={form} />}
        planField={planField}
      />
      <Button type="submit" wide busy={isSubmitting}>
        {isSubmitting ? 'Creating Account...' : createWords}
      </Button>
      <ProviderLinks verb="Sign up with" plan={plan} />
      <p>
        Already have an account? <Link href="/login">Sign in here</Link>
      </p>
    </form>
  );
}

function Meter({ form: { watch } }: { form: Form }) {
  const id = useId();
  const [password, firstName, lastName, email] = watch(['password', 'firstName', 'lastName', 'email']);
  return <StrengthMeter id={id} password={password} personal={[firstName, lastName, email.split('@')[0] ?? '']} />;
}
