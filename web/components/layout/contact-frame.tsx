import type { ReactNode } from 'react';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { SupportLines } from '#web/components/ui/support-lines.tsx';
import { supportEmail } from '#web/lib/support.ts';

type ContactFrameProps = {
  /** The role is asked for while the owner is there to ask back; a release may follow a death. */
  about: 'role' | 'release';
  onlyFor?: string | undefined;
  children: ReactNode;
};

/** Frame of every page for trusted contacts, with an address for doubts. */
export function ContactFrame({ about, onlyFor, children }: ContactFrameProps) {
  const address = <a href={`mailto:${supportEmail}`}>{supportEmail}</a>;
  return (
    <Letterhead
      onlyFor={onlyFor}
      gap={about === 'role' ? 'wide' : 'widest'}
      footer={
        about === 'role' ? (
          <p>Worried that this is not real? Ask the person it is about, or write to {address}.</p>
        ) : (
          <>
            <p>Worried that this is not real? Write to {address}.</p>
            <p>
              <SupportLines />
            </p>
          </>
        )
      }
    >
      {children}
    </Letterhead>
  );
}
