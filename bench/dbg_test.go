package bench_test
import ("testing";"fmt")
func TestDbg(t *testing.T){
 bad:=0
 for _,n:=range []int{3,6,12,30}{
 for seed:=uint64(0);seed<60;seed++{
  m:=generate(t,"random",n,seed)
  a:=analyse(t,m)
  d:=0
  for i:=range m.Joints{ if j:=&m.Joints[i]; j.Name[0]=='d'{v:=a.s.view(j); d+=len(a.s.rows(j,&v))}}
  if d!=a.rows-a.rank { bad++; fmt.Println("n",n,"seed",seed,"expected",d,"got",a.rows-a.rank); if n<=6 {for _,j:=range m.Joints{fmt.Println("   ",j.Name,j.Type,j.Predecessor,j.Successor,j.Motion!=nil)}} }
 }}
 fmt.Println("bad",bad)
}
