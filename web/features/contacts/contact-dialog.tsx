import { useState } from 'react';
import type { TrustedContact } from '#shared/contract/contacts.ts';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { ContactForm } from './contact-form.tsx';

type ContactDialogProps = {
  open: boolean;
  contact?: TrustedContact | undefined;
  isVerified: boolean;
  ownerName: { name: string; firstName: string };
  onClose: () => void;
};

/** Names a contact, or changes one. Typed text is kept when the dialog closes, and is shown again when it opens. */
export function ContactDialog({ open, contact: chosen, isVerified, ownerName, onClose }: ContactDialogProps) {
  const [replaced, setReplaced] = useState<TrustedContact>();
  const contact = replaced ?? chosen;
  const close = () => {
    setReplaced(undefined);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title={contact ? 'Edit Trusted Contact' : 'Add Trusted Contact'}
      size={contact ? 'normal' : 'wide'}
      closesOutside={false}
    >
      <ContactForm
        key={contact?.version}
        contact={contact}
        isVerified={isVerified}
        ownerName={ownerName}
        onSaved={close}
        onReplaced={setReplaced}
        onCancel={close}
      />
    </Dialog>
  );
}
