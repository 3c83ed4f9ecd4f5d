import { zodResolver } from '@hookform/resolvers/zod';
import { useId } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { Link } from 'wouter';
import type { z } from 'zod';
import { registerForm, register as registerRoute } from '#shared/contract/accounts.ts';
import { type PlanName, plans, registrablePlanNames } from '#shared/rules/plans.ts';
import { Button } from '#web/components/ui/button.tsx';
import { PasswordField, SelectField, TextField } from '#web/components/ui/field.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { money } from '#web/lib/format.ts';
import { useSendOnce } from '#web/lib/sent-form.ts';
import { toast } from '#web/lib/toast.ts';
import { ProviderLinks } from './provider-links.tsx';
import { messageOf } from './sign-in.ts';
import { StrengthMeter } from './strength-meter.tsx';

export type RegistrablePlan = (typeof registrablePlanNames)[number];
type Values = z.input<typeof registerForm>;
type Answers = z.output<typeof registerForm>;
type Form = UseFormReturn<Values, unknown, Answers>;

const fieldNames = ['firstName', 'lastName', 'email', 'password', 'confirmPassword'] as const;

/** The plan that an address asks for; the free one where it asks for none that can be had here. */
export function planFromAddress(search: string): RegistrablePlan {
  const wanted = new URLSearchParams(search).get('plan');
  return registrablePlanNames.find((name) => name === wanted) ?? 'free';
}

/** `Free - £0`, `Essential - £4.99/month`. */
export function planLabel(name: PlanName): string {
  const { title, priceMonthlyPence } = plans[name];
  return priceMonthlyPence ? `${title} - ${money(priceMonthlyPence)}/month` : `${title} - £0`;
}

const planOptions = registrablePlanNames.map((name) => ({ value: name, label: planLabel(name) }));

type RegisterFormProps = {
  plan: RegistrablePlan;
  onPlan: (plan: RegistrablePlan) => void;
  onRegistered: (email: string) => void;
  onErrors: (hasErrors: boolean) => void;
};

export function RegisterForm({ plan, onPlan, onRegistered, onErrors }: RegisterFormProps) {
  const form: Form = useForm<Values, unknown, Answers>({
    resolver: zodResolver(registerForm),
    defaultValues: { firstName: '', lastName: '', email: '', password: '', confirmPassword: '', plan },
  });
  const { register, handleSubmit, setError } = form;
  const create = useChange(registerRoute, {
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
    <form className="form" noValidate onSubmit={submit}>
      <PersonFields form={form} />
      <PasswordFields form={form} />
      <SelectField label="Plan" options={planOptions} {...planField} />
      <Button type="submit" wide busy={create.isPending}>
        {create.isPending ? 'Creating Account...' : 'Create Account'}
      </Button>
      <ProviderLinks verb="Sign up with" plan={plan} />
      <p>
        Already have an account? <Link href="/login">Sign in here</Link>
      </p>
    </form>
  );
}

function PersonFields({ form: { register, formState } }: { form: Form }) {
  const { errors } = formState;
  return (
    <>
      <div className="names">
        <TextField
          label="First Name"
          autoComplete="given-name"
          error={errors.firstName?.message}
          {...register('firstName')}
        />
        <TextField
          label="Last Name"
          autoComplete="family-name"
          error={errors.lastName?.message}
          {...register('lastName')}
        />
      </div>
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.email?.message}
        {...register('email')}
      />
    </>
  );
}

function PasswordFields({ form: { register, formState, watch } }: { form: Form }) {
  const meterId = useId();
  const { errors } = formState;
  const [password, firstName, lastName, email] = watch(['password', 'firstName', 'lastName', 'email']);
  return (
    <>
      <PasswordField
        label="Password"
        autoComplete="new-password"
        error={errors.password?.message}
        {...register('password', { deps: formState.isSubmitted ? ['confirmPassword'] : [] })}
      />
      <StrengthMeter id={meterId} password={password} personal={[firstName, lastName, email.split('@')[0] ?? '']} />
      <PasswordField
        label="Confirm Password"
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...register('confirmPassword')}
      />
    </>
  );
}
