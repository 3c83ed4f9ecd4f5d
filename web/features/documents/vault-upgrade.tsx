import { ButtonLink } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';

/** Shown to owners whose plan has no document vault. */
export function VaultUpgrade({ hasDocuments }: { hasDocuments: boolean }) {
  return (
    <div className="card empty">
      <Drawing name="key" />
      <h2 className="h-card">Document Vault</h2>
      <p>The document vault is available with Essential, Premium and Lifetime plans.</p>
      {hasDocuments ? (
        <p>The documents you stored before are still here. You can download or delete them.</p>
      ) : (
        <p>Keep wills, policies and photographs beside your messages.</p>
      )}
      <ButtonLink href="/account">Upgrade Your Plan</ButtonLink>
    </div>
  );
}
