package sparse

// Rows is a choice of the rows of the −1 nodes of a pattern, with all +1 nodes. Chosen rows stay in their nodes; a node
// without chosen rows is left out. Rows is immutable, and safe for any number of goroutines.
type Rows struct {
	Of      *Pattern   // the whole pattern
	Pattern *Pattern   // the pattern of the chosen rows
	Row     []int32    // by scalar of Pattern: the scalar of Of
	Node    []int32    // by node of Pattern: the node of Of
	Spare   []Spare    // nodes of Of with rows that are not chosen, increasing
	runs    []valueRun // values of the chosen rows, in the order of Pattern
}

// Spare has the rows of a node that are not chosen.
type Spare struct {
	Of   int32          // node of Rows.Of
	N    int8           // number of rows that are not chosen
	Rows [MaxBlock]int8 // their numbers within the node, increasing; the first N count
}

// valueRun is a run of n values from place src on in Matrix.Val of Rows.Of, which are next to each other in a matrix of Rows.Pattern, too.
type valueRun struct {
	src int64
	n   int32
}

// NewRows chooses the scalar rows i of p for which kept[i] is true; entries of +1 nodes are not read.
//
// Cost: O(rows and blocks). It panics on a length mismatch.
func NewRows(p *Pattern, kept []bool) *Rows {
	if len(kept) != p.Dim() {
		panic("sparse: length mismatch")
	}
	s := &Rows{Of: p}
	var size, sign []int8
	var ind []int32
	ptr := []int32{0}
	first := p.Positive()
	for i := range p.Len() {
		spare := Spare{Of: int32(i)}
		for a := range p.Size[i] {
			if r := p.Off[i] + int32(a); i < first || kept[r] {
				s.Row = append(s.Row, r)
			} else {
				spare.Rows[spare.N] = a
				spare.N++
			}
		}
		if spare.N > 0 {
			s.Spare = append(s.Spare, spare)
		}
		n := p.Size[i] - spare.N
		if n == 0 {
			continue
		}
		s.Node = append(s.Node, int32(i))
		size, sign = append(size, n), append(sign, p.Sign[i])
		ind = append(ind, p.Ind[p.Ptr[i]:p.Ptr[i+1]]...)
		ptr = append(ptr, int32(len(ind)))
		s.addRuns(i, kept)
	}
	s.Pattern = NewPattern(size, sign, ptr, ind)
	return s
}

// addRuns appends the runs of values of the chosen rows of node i.
func (s *Rows) addRuns(i int, kept []bool) {
	p := s.Of
	for k := p.Ptr[i]; k < p.Ptr[i+1]; k++ {
		n := int32(p.Size[p.Ind[k]])
		for a := range int32(p.Size[i]) {
			if !kept[p.Off[i]+a] {
				continue
			}
			src := p.Pos[k] + int64(a)*int64(n)
			if m := len(s.runs); m > 0 && s.runs[m-1].src+int64(s.runs[m-1].n) == src {
				s.runs[m-1].n += n
			} else {
				s.runs = append(s.runs, valueRun{src, n})
			}
		}
	}
}

// ValuesTo copies the off-diagonal values of the chosen rows of src, of s.Of, to dst, of s.Pattern.
//
// Cost: O(values), no allocation. It panics on a foreign pattern.
func (s *Rows) ValuesTo(dst, src *Matrix) {
	if dst.Pattern != s.Pattern || src.Pattern != s.Of {
		panic("sparse: foreign pattern")
	}
	to := dst.Val
	for _, r := range s.runs {
		from := src.Val[r.src : r.src+int64(r.n)]
		for len(from) >= MaxBlock { // rows of a body, most often
			a, b := (*[MaxBlock]float64)(to), (*[MaxBlock]float64)(from)
			*(*[2]float64)(a[:]) = *(*[2]float64)(b[:])
			*(*[2]float64)(a[2:]) = *(*[2]float64)(b[2:])
			*(*[2]float64)(a[4:]) = *(*[2]float64)(b[4:])
			to, from = to[MaxBlock:], from[MaxBlock:]
		}
		to = to[copy(to, from):]
	}
}

// GatherTo stores in dst the chosen entries of src, which is a vector of s.Of.
//
// Cost: O(rows), no allocation. It panics on a length mismatch.
func (s *Rows) GatherTo(dst, src []float64) {
	if len(dst) != len(s.Row) || len(src) != s.Of.Dim() {
		panic("sparse: length mismatch")
	}
	n := int(s.Of.Off[s.Of.Positive()])
	copy(dst, src[:n])
	for i, r := range s.Row[n:] {
		dst[n+i] = src[r]
	}
}

// ScatterTo stores the entries of src at their places in dst, which is a vector of s.Of: the reverse of GatherTo. Entries of dst that are
// not chosen become zero.
//
// Cost: O(rows), no allocation. It panics on a length mismatch.
func (s *Rows) ScatterTo(dst, src []float64) {
	if len(src) != len(s.Row) || len(dst) != s.Of.Dim() {
		panic("sparse: length mismatch")
	}
	n := int(s.Of.Off[s.Of.Positive()])
	copy(dst[:n], src)
	clear(dst[n:])
	for i, r := range s.Row[n:] {
		dst[r] = src[n+i]
	}
}
