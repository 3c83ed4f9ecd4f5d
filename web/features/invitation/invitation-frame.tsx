import type { ReactNode } from 'react';
import { supportEmail } from '#shared/product.ts';
import { Letterhead } from '#web/components/layout/letterhead.tsx';

/** The pages that a contact meets before any release. */
export function InvitationFrame({ onlyFor, children }: { onlyFor?: string | undefined; children: ReactNode }) {
  return (
    <Letterhead
      onlyFor={onlyFor}
      gap="wide"
      footer={
        <p>
          Worried that this is not real? Ask the person it is about, or write to{' '}
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
        </p>
      }
    >
      {children}
    </Letterhead>
  );
}
