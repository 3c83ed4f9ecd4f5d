import type { ComponentProps, ReactNode } from 'react';
import { type PlanName, plans, registrablePlanNames } from '#shared/rules/plans.ts';
import { PasswordField, SelectField, TextField } from '#web/components/ui/field.tsx';
import { money } from '#web/lib/format.ts';

export type RegistrablePlan = (typeof registrablePlanNames)[number];

export const fieldNames = ['firstName', 'lastName', 'email', 'password', 'confirmPassword'] as const;
export type FieldName = (typeof fieldNames)[number];

export const createWords = 'Create Account';

/** Plan in an address or a form; the free one if it names none that can be chosen here. */
export function registrablePlan(wanted: string | null | undefined): RegistrablePlan {
  return registrablePlanNames.find((name) => name === wanted) ?? 'free';
}

/** `Free - £0`, `Essential - £4.99/month`. */
export function planLabel(name: PlanName): string {
  const { title, priceMonthlyPence } = plans[name];
  return priceMonthlyPence ? `${title} - ${money(priceMonthlyPence)}/month` : `${title} - £0`;
}

const planOptions = registrablePlanNames.map((name) => ({ value: name, label: planLabel(name) }));

type RegisterFieldsProps = {
  /** Returns the name of a field and its link to the form. */
  bind: (name: FieldName) => ComponentProps<'input'>;
  errorOf: (name: FieldName) => string | undefined;
  /** Rates the password. */
  meter: ReactNode;
  /** Name of the plan’s field and its link to the form. */
  planField: ComponentProps<'select'>;
};

/** Fields of the registration form, with scripts and without. */
export function RegisterFields({ bind, errorOf, meter, planField }: RegisterFieldsProps) {
  return (
    <>
      <div className="names">
        <TextField label="First Name" autoComplete="given-name" error={errorOf('firstName')} {...bind('firstName')} />
        <TextField label="Last Name" autoComplete="family-name" error={errorOf('lastName')} {...bind('lastName')} />
      </div>
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        error={errorOf('email')}
        {...bind('email')}
      />
      <PasswordField label="Password" autoComplete="new-password" error={errorOf('password')} {...bind('password')} />
      {meter}
      <PasswordField
        label="Confirm Password"
        autoComplete="new-password"
        error={errorOf('confirmPassword')}
        {...bind('confirmPassword')}
      />
      <SelectField label="Plan" options={planOptions} {...planField} />
    </>
  );
}
