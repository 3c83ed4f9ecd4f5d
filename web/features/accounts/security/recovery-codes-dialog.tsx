import { useState } from 'react';
import { productName, productSlug } from '#shared/product.ts';
import { Button } from '#web/components/ui/button.tsx';
import { Dialog } from '#web/components/ui/dialog.tsx';
import { CheckboxField } from '#web/components/ui/field.tsx';
import { saveFile } from '#web/lib/api/download.ts';

/** Recovery codes, this once. The way out opens when the person says that they have them. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const [isKept, setKept] = useState(false);
  const close = () => {
    if (isKept) onClose();
  };
  return (
    <Dialog open onClose={close} title="Your recovery codes" closesOutside={false}>
      <p>
        Each of these opens your vault once, in place of your second step, on a day when your phone is lost. We keep
        none of them that could be read, so they are shown only now. Keep them where you would find them without your
        phone.
      </p>
      <ol className="recovery-codes printed-alone">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className="btns noprint">
        <Button variant="secondary" onClick={() => saveFile(textFile(codes), `${productSlug}-recovery-codes.txt`)}>
          Download
        </Button>
        <Button variant="secondary" onClick={() => print()}>
          Print
        </Button>
      </div>
      <CheckboxField
        label="I have kept these codes"
        checked={isKept}
        onChange={(event) => setKept(event.target.checked)}
      />
      <Button aria-disabled={!isKept} onClick={close}>
        Done
      </Button>
    </Dialog>
  );
}

function textFile(codes: readonly string[]): Blob {
  const lines = [`Recovery codes for ${productName}. Each works once.`, '', ...codes, ''];
  return new Blob([lines.join('\r\n')], { type: 'text/plain;charset=utf-8' });
}
