/** The newest of many, in their order and in bounded room. */
export class Newest<A> {
  private kept: Array<A> = []
  private count = 0

  constructor(private readonly most: number) {}

  add(one: A): void {
    this.count += 1
    if (this.most === 0) return
    this.kept.push(one)
    if (this.kept.length >= 2 * this.most) this.kept = this.kept.slice(-this.most)
  }

  get items(): ReadonlyArray<A> {
    return this.kept.slice(-this.most)
  }

  /** How many were added and are not among the newest. */
  get left(): number {
    return Math.max(0, this.count - this.most)
  }
}
