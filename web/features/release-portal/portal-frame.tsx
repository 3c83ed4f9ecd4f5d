import type { ReactNode } from 'react';
import { supportEmail } from '#shared/product.ts';
import { Letterhead } from '#web/components/layout/letterhead.tsx';

/** The portal of a trusted contact. */
export function PortalFrame({ onlyFor, children }: { onlyFor?: string | undefined; children: ReactNode }) {
  return (
    <Letterhead
      onlyFor={onlyFor}
      gap="widest"
      footer={
        <p>
          Worried that this is not real? Write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>. Where to find
          support: <a href="tel:08088081677">Cruse, 0808 808 1677</a>.
        </p>
      }
    >
      {children}
    </Letterhead>
  );
}
