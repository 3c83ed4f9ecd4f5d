import type { ReactNode } from 'react';
import { Icon } from '#web/components/ui/icon.tsx';

export type BannerTone = 'warn' | 'bad' | 'ok';

type BannerProps = {
  tone?: BannerTone;
  /** One button or link. */
  action?: ReactNode;
  /** `alert` if it answers an action of the person. */
  role?: 'status' | 'alert';
  children: ReactNode;
};

/** A sentence across the page: amber for soon, brick for blocked, moss for done. */
export function Banner({ tone = 'warn', action, role = 'status', children }: BannerProps) {
  return (
    <div className={tone === 'warn' ? 'banner' : `banner banner-${tone}`} role={role}>
      <Icon name={tone === 'ok' ? 'check' : 'warning'} />
      <div>{children}</div>
      {action}
    </div>
  );
}
