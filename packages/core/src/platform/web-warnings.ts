/** Shows a warning as an error that no one has caught: `window.onerror` sees it. */
export function emit(warning: Error): void {
  globalThis.reportError?.(warning);
}
