/** The texts that were last given out, to be able to say what has changed since. */

const ENTRIES = 512
const CHARACTERS = 4 * 1024 * 1024

export class Recent {
  private readonly texts = new Map<string, string>()
  private characters = 0

  private forget(key: string): void {
    this.characters -= this.texts.get(key)?.length ?? 0
    this.texts.delete(key)
  }

  remember(id: string, revision: string, text: string): void {
    const key = `${revision} ${id}`
    this.forget(key)
    this.texts.set(key, text)
    this.characters += text.length
    for (const oldest of this.texts.keys()) {
      if (this.texts.size <= ENTRIES && this.characters <= CHARACTERS) return
      this.forget(oldest)
    }
  }

  get(id: string, revision: string): string | undefined {
    return this.texts.get(`${revision} ${id}`)
  }
}
