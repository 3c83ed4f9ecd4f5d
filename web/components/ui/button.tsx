import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';
import { apiPrefix } from '#shared/api-prefix.ts';

export type ButtonVariant = 'primary' | 'secondary' | 'text' | 'danger' | 'danger-outline';

type Look = { variant?: ButtonVariant; size?: 'small' | 'big' | undefined; wide?: boolean | undefined };

const variantClass: Record<ButtonVariant, string> = {
  primary: 'btn-1',
  secondary: 'btn-2',
  text: 'btn-3',
  danger: 'btn-danger',
  'danger-outline': 'btn-danger-2',
};

export type ButtonProps = Look & {
  /** Work is under way: the words change, the button can't be pressed again, and it keeps the focus. */
  busy?: boolean | undefined;
  children: ReactNode;
} & Omit<ComponentProps<'button'>, 'children'>;

/** A button. `type` is `button` unless said otherwise. One primary button on a screen. */
export function Button({ variant = 'primary', size, wide, busy, className, onClick, ...rest }: ButtonProps) {
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // A disabled button would lose the focus and fall silent; this one stays and refuses.
    if (busy) return event.preventDefault();
    onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      className={lookClass({ variant, size, wide: wide ?? false }, className)}
      aria-disabled={busy ? true : undefined}
      onClick={press}
    />
  );
}

export type ButtonLinkProps = Look & {
  href: string;
  children: ReactNode;
} & Omit<ComponentProps<'a'>, 'href' | 'children' | 'ref'>;

/** A link that looks like a button. Paths of the product are followed without a reload; all else by the browser. */
export function ButtonLink({ variant = 'primary', size, wide, className, href, ...rest }: ButtonLinkProps) {
  const look = lookClass({ variant, size, wide: wide ?? false }, className);
  if (!isPathOfTheWeb(href)) return <a {...rest} href={href} className={look} />;
  return <Link {...rest} href={href} className={look} />;
}

function lookClass({ variant = 'primary', size, wide }: Look, extra: string | undefined): string {
  return ['btn', variantClass[variant], size && `btn-${size}`, wide && 'btn-wide', extra].filter(Boolean).join(' ');
}

function isPathOfTheWeb(href: string): boolean {
  return href.startsWith('/') && !href.startsWith('//') && !href.startsWith(apiPrefix);
}
