import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { useChange } from '#web/lib/api/changes.ts';
import { light } from '#web/lib/api/light-routes.ts';
import { useSession } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';

/** Stands on the pages of the vault until the address is verified. */
export function VerificationBanner() {
  const { user, isVerified } = useSession();
  const resend = useChange(light.resendVerification, {
    onSuccess: () => {
      toast({
        title: 'Verification email sent',
        description: 'Please check your email and click the verification link.',
      });
    },
    onError: () => {
      toast({ title: 'Error sending email', description: 'Please try again later.', variant: 'destructive' });
    },
  });
  if (!user || isVerified) return null;
  return (
    <Banner
      action={
        <Button variant="secondary" size="small" busy={resend.isPending} onClick={() => resend.mutate()}>
          {resend.isPending ? 'Sending...' : 'Resend Email'}
        </Button>
      }
    >
      <b>Email verification required</b>
      <br />
      Verify {user.email} to edit messages, add trusted contacts, or modify settings. Nothing is sent to anybody until
      then.
    </Banner>
  );
}
