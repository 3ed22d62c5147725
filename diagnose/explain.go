package diagnose

// Explain returns the explanation of row i.
func (v *Verdicts) Explain(i int) Explanation { return Explanation{Diagnosis: v.Diagnosis(i)} }
