package proof_test

import (
	"testing"

	"github.com/leadline/leadline/replay/proof"
)

// FuzzVerify: no text makes Verify panic.
func FuzzVerify(f *testing.F) {
	c, err := proof.Make([]byte(lost), proof.Hint{Core: []int{0, 2}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(c), lost)
	f.Add(`{"certificate":1,"model":"register","until":4,"of":4}`+"\n"+`{"operation":0,"call":1,"method":"cas","args":[1,2]}`+"\nnull\n"+`{"done":0,"state":[]}`, "")
	f.Add(`{"certificate":1,"model":"multi-register","witness":[0]}`, `{"leadline":1,"model":"multi-register"}`+"\n"+`{"process":1,"type":"invoke","method":"txn","args":[[["read",1,null]]]}`)
	f.Fuzz(func(_ *testing.T, certificate, history string) {
		_, _ = proof.Verify([]byte(certificate), []byte(history))
		_, _ = proof.Verify([]byte(certificate), nil)
		_, _ = proof.Make([]byte(history), proof.Hint{Core: []int{0}, Until: 3, Only: []string{"1"}})
	})
}
