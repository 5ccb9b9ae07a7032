/** A window above the page. Escape closes it, and so does whoever clicks beside it; the focus goes back to where it was. */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"

export const Dialog = ({
  children,
  close,
  title
}: {
  readonly title: ComponentChildren
  readonly children: ComponentChildren
  readonly close: () => void
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape and the button
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onClose={close}
      onClick={({ currentTarget, target }) => {
        if (target === currentTarget) currentTarget.close()
      }}
    >
      <div class="sheet">
        <div class="sheet-head">
          <h3 id="dialog-title">{title}</h3>
          <button type="button" class="plain" aria-label="Close" onClick={() => dialog.current?.close()}>
            <svg class="sign" viewBox="0 0 16 16" aria-hidden="true">
              <path d="M4 4l8 8M12 4l-8 8" />
            </svg>
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}
