"use strict";(()=>{var vn=globalThis,St=vn.trustedTypes,wo=St?St.createPolicy("lit-html",{createHTML:e=>e}):void 0,xn="$lit$",ne=`lit$${Math.random().toFixed(9).slice(2)}$`,kn="?"+ne,ui=`<${kn}>`,fe=document,at=()=>fe.createComment(""),lt=e=>e===null||typeof e!="object"&&typeof e!="function",Tn=Array.isArray,So=e=>Tn(e)||typeof e?.[Symbol.iterator]=="function",$n=`[ 	
\f\r]`,it=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,$o=/-->/g,vo=/>/g,he=RegExp(`>|${$n}(?:([^\\s"'>=/]+)(${$n}*=${$n}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),xo=/'/g,ko=/"/g,Ao=/^(?:script|style|textarea|title)$/i,Sn=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),d=Sn(1),q=Sn(2),wu=Sn(3),ct=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),To=new WeakMap,me=fe.createTreeWalker(fe,129);function Ro(e,t){if(!Tn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return wo!==void 0?wo.createHTML(t):t}var Eo=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=it;for(let l=0;l<n;l++){let c=e[l],u,p,h=-1,f=0;for(;f<c.length&&(i.lastIndex=f,p=i.exec(c),p!==null);)f=i.lastIndex,i===it?p[1]==="!--"?i=$o:p[1]!==void 0?i=vo:p[2]!==void 0?(Ao.test(p[2])&&(s=RegExp("</"+p[2],"g")),i=he):p[3]!==void 0&&(i=he):i===he?p[0]===">"?(i=s??it,h=-1):p[1]===void 0?h=-2:(h=i.lastIndex-p[2].length,u=p[1],i=p[3]===void 0?he:p[3]==='"'?ko:xo):i===ko||i===xo?i=he:i===$o||i===vo?i=it:(i=he,s=void 0);let b=i===he&&e[l+1].startsWith("/>")?" ":"";r+=i===it?c+ui:h>=0?(o.push(u),c.slice(0,h)+xn+c.slice(h)+ne+b):c+ne+(h===-2?l:b)}return[Ro(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},ut=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,l=t.length-1,c=this.parts,[u,p]=Eo(t,n);if(this.el=e.createElement(u,o),me.currentNode=this.el.content,n===2||n===3){let h=this.el.content.firstChild;h.replaceWith(...h.childNodes)}for(;(s=me.nextNode())!==null&&c.length<l;){if(s.nodeType===1){if(s.hasAttributes())for(let h of s.getAttributeNames())if(h.endsWith(xn)){let f=p[i++],b=s.getAttribute(h).split(ne),y=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:y[2],strings:b,ctor:y[1]==="."?Rt:y[1]==="?"?Et:y[1]==="@"?Pt:be}),s.removeAttribute(h)}else h.startsWith(ne)&&(c.push({type:6,index:r}),s.removeAttribute(h));if(Ao.test(s.tagName)){let h=s.textContent.split(ne),f=h.length-1;if(f>0){s.textContent=St?St.emptyScript:"";for(let b=0;b<f;b++)s.append(h[b],at()),me.nextNode(),c.push({type:2,index:++r});s.append(h[f],at())}}}else if(s.nodeType===8)if(s.data===kn)c.push({type:2,index:r});else{let h=-1;for(;(h=s.data.indexOf(ne,h+1))!==-1;)c.push({type:7,index:r}),h+=ne.length-1}r++}}static createElement(t,n){let o=fe.createElement("template");return o.innerHTML=t,o}};function ge(e,t,n=e,o){if(t===ct)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=lt(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=ge(e,s._$AS(e,t.values),s,o)),t}var At=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??fe).importNode(n,!0);me.currentNode=s;let r=me.nextNode(),i=0,l=0,c=o[0];for(;c!==void 0;){if(i===c.index){let u;c.type===2?u=new _e(r,r.nextSibling,this,t):c.type===1?u=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(u=new Mt(r,this,t)),this._$AV.push(u),c=o[++l]}i!==c?.index&&(r=me.nextNode(),i++)}return me.currentNode=fe,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},_e=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=m,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=ge(this,t,n),lt(t)?t===m||t==null||t===""?(this._$AH!==m&&this._$AR(),this._$AH=m):t!==this._$AH&&t!==ct&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):So(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==m&&lt(this._$AH)?this._$AA.nextSibling.data=t:this.T(fe.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=ut.createElement(Ro(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new At(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=To.get(t.strings);return n===void 0&&To.set(t.strings,n=new ut(t)),n}k(t){Tn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(at()),this.O(at()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},be=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=m,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=m}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=ge(this,t,n,0),i=!lt(t)||t!==this._$AH&&t!==ct,i&&(this._$AH=t);else{let l=t,c,u;for(t=r[0],c=0;c<r.length-1;c++)u=ge(this,l[o+c],n,c),u===ct&&(u=this._$AH[c]),i||=!lt(u)||u!==this._$AH[c],u===m?t=m:t!==m&&(t+=(u??"")+r[c+1]),this._$AH[c]=u}i&&!s&&this.j(t)}j(t){t===m?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},Rt=class extends be{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===m?void 0:t}},Et=class extends be{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==m)}},Pt=class extends be{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=ge(this,t,n,0)??m)===ct)return;let o=this._$AH,s=t===m&&o!==m||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==m&&(o===m||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},Mt=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){ge(this,t)}},Po={M:xn,P:ne,A:kn,C:1,L:Eo,R:At,D:So,V:ge,I:_e,H:be,N:Et,U:Pt,B:Rt,F:Mt},di=vn.litHtmlPolyfillSupport;di?.(ut,_e),(vn.litHtmlVersions??=[]).push("3.3.1");var Mo=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new _e(t.insertBefore(at(),r),r,void 0,n??{})}return s._$AI(e),s};var Rn=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",compared:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},inspection:{result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,snapshot:null},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),a=Rn(),En={output:{compared:null,attribution:null},inspection:{result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,snapshot:null},heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},_t=[{output:{sentences:[],sourceText:"",html:""}},En],_o=[],An=!1;function Pn(e){_o.push(e)}function ye(e){for(let[t,n]of Object.entries(e))Object.assign(a[t],n)}function g(...e){e.forEach(ye),!An&&(An=!0,requestAnimationFrame(()=>{An=!1;for(let t of _o)t()}))}var O="flow.",ee="mean.",ie=["rollout","gradient","integrated-gradients"],Oe=e=>e.direction??e.name??"",T=()=>a.server.models.find(e=>Oe(e)===a.request.modelName),$=()=>a.output.sentences[a.view.sentenceIndex],k=()=>!a.server.storedPage&&T()?.direction!==void 0,we=()=>k()||!a.server.storedPage&&T()?.arch==="decoder";function X(){let e=T();return!a.server.storedPage&&a.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var D=()=>a.output.sourceText!==""&&a.output.sourceText!==a.request.text,L=()=>a.inspection.result!==null&&a.inspection.sentence!==($()??null),j=()=>L()||D();function $e(e=a.inspection.sentence){let t=(e?.tokens??[]).map(n=>n.token);return k()?[...t,"end"]:t.slice(1)}var Mn=e=>e!=="encoder"||a.inspection.result?.target===null;var P=e=>e.split(".").slice(0,2).join("."),_n=()=>a.inspection.result?[...a.inspection.result.weights.keys()]:[],Oo=(e,t)=>e[(t+e.length)%e.length];function Ce(e){let t=_n(),n=Oo(t,t.indexOf(a.view.head)+e);n&&g({view:{head:n}})}function He(e){let t=[...new Set(_n().map(P))],n=Oo(t,t.indexOf(P(a.view.head))+e),o=_n().find(s=>P(s)===n);o&&g({view:{head:o}})}function Ot(){let e=a.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${ee}${e}`,isOfModel:t}}function oe(){let e=Ot();if(e?.isOfModel)return e.head;let t=a.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,l)=>l.confidence-i.confidence);return r?.head??"mean"}var pi={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",induction:"mostly what came next the last time",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function Ct(e){let[t,n]=e.split(".");return`${a.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${Number(n)+1}`}var On=e=>`${Ct(P(e))}, head ${Number(e.split(".")[2])+1}`;function Ht(e){let n=e.startsWith("decoder.")&&a.inspection.result?.target!=null?"what is written":"the text",o=pi[a.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${On(e)}: reads ${n}${o?`, ${o}`:""}`}var Le=5;function U(){let e=T();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var Ie=()=>a.request.temperature?{method:"sample",temperature:a.request.temperature,seed:a.request.seed}:{beam_size:a.request.beamSize},Ne=e=>k()?{...U(),text:e.source,target_ids:e.ids}:{model:T().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},Lt=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var V=class extends Error{constructor(n,o){super(o);this.status=n}},It=0,hi=410,Co="regard-key",mi=255;async function Ho(){try{return(await fetch("health")).ok}catch{return!1}}var Lo=e=>sessionStorage.setItem(Co,e);function fi(e){let t=sessionStorage.getItem(Co);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function Cn(e,t,n){let o={method:t===void 0?"GET":"POST",headers:fi(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new V(It,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new V(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function M(e,t,n){return await(await Cn(e,t,n)).json()}async function*Io(e,t){let o=(await Cn("stream",e,t)).body.pipeThrough(new TextDecoderStream).getReader(),s="";for(;;){let{value:r,done:i}=await o.read().catch(c=>{throw t.aborted?c:new V(It,"The server went away while it was answering. Is it still running?")});if(i)return;let l=(s+r).split(`

`);s=l.pop()??"";for(let c of l){let[u,p]=c.split(`
`);yield{name:u.slice(7),data:JSON.parse(p.slice(6))}}}}async function Nt(e,t,n){try{return await M(`inspect/${e.id}/${t}`,void 0,n)}catch(o){if(!(o instanceof V)||o.status!==hi)throw o;return e.id=(await M("inspect",e.request,n)).id,await M(`inspect/${e.id}/${t}`,void 0,n)}}async function gi(e,t,n){let o=await Cn(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,l]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((p,h)=>{let f=r.subarray(h*i*l,(h+1)*i*l);return[p,{rows:i,keys:l,values:f,scale:c,forbidden:mi}]})}async function We(e,t){let n=await M("inspect",{...e,lens:!0},t),o=Object.keys(n.tokens),s=await Promise.all(o.map(r=>gi(n.id,r,t)));return{...n,request:e,weights:new Map(s.flat())}}var bi=403,yi=2e3,wi=4e3,ve=new Map;async function R(e,t,n){ve.get(e)?.abort();let o=new AbortController;ve.set(e,o),e==="translate"&&vi(),t&&g({status:{busy:{...a.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||$i(s),!1}finally{ve.get(e)===o&&No(e)}}function Wt(e,t){g({status:{busy:{...a.status.busy,[e]:t}}})}function $i(e){let t=e instanceof V?e.status:void 0,n=e instanceof Error?e.message:String(e);g({status:{error:n,needsApiKey:t===bi}}),t===It&&Bo()}function vi(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function xi(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function No(e){ve.delete(e),e==="translate"&&De(()=>{ve.has(e)||xi()}),g({status:{busy:Object.fromEntries(Object.entries(a.status.busy).filter(([t])=>t!==e))}})}function De(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var Hn=0,Wo=()=>Promise.resolve();function Do(e){Wo=e}function Bo(){clearTimeout(Hn),Hn=window.setTimeout(()=>{Ho().then(e=>{e?Ln():a.status.error&&Bo()})},yi)}async function Ln(){clearTimeout(Hn),g({status:{error:"",needsApiKey:!1}}),await Wo()}function Fo(e){g({status:{notice:e}}),setTimeout(()=>{a.status.notice===e&&g({status:{notice:""}})},wi)}var dt=e=>ve.has(e);function xe(e){ve.get(e)?.abort(),No(e)}var ki=50;async function Be(e){let{disabled:t}=a.heads,n=e.every(o=>t.includes(o));await se(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function se(e){let{undoStack:t,disabled:n}=a.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-ki)}}),await J()}async function qo(){let{undoStack:e}=a.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await J()}async function J(){let{sentence:e}=a.inspection;if(!a.heads.disabled.length)return xe("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!X()||L()||await R("ablate","Running without heads",async t=>{let n=k()?Lt(e):{prompt:e.source,...e.decoding},o={...Ne(e),heads:a.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await M("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function Fe(){let{result:e,sentence:t}=a.inspection;if(!t?.isDone||!e||L())return;let n=[...e.weights.keys()],o=[...new Set(n.map(P))];await R("rank","Taking each head away",async s=>{let r={},i={};for(let[l,c]of o.entries()){let u=n.filter(h=>P(h)===c),p=await M("ablate",{...Ne(t),sweep:!0,heads:u},s);if(a.inspection.result!==e)return;r={...r,...p.worth},i={...i,...p.by_token},g({heads:{importance:r,importanceByToken:i}}),Wt("rank",`Taking each head away: ${l+1} of ${o.length} layers`)}g({heads:{sortBy:"worth"}})}),a.status.error&&a.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var Ft=null,Y=()=>Ft;function je(){Ft=null}var Ti=()=>({edits:a.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:a.inspection.snapshot,compared:a.output.compared,tracesSearch:a.search.trace!==null&&a.search.trace.source===$()?.source,ranksHeads:a.heads.importance!==null}),Si=16,Ai=1e3,Ri=5,Ei=1e9,Dt=e=>e==="true",qe=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},Bt=qe(0,Ei),jo=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),Pi=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),Mi=e=>ie.some(t=>e===`${O}${t}`),_i=e=>jo(e)||Pi(e)||Mi(e)?e:void 0,Oi=e=>e.split(",").filter(jo),C=(e,t,n)=>({group:e,field:t,parse:n}),Wn={direction:C("request","modelName",String),text:C("request","text",String),beam:C("request","beamSize",qe(1,Si)),temperature:C("request","temperature",qe(0,Ri,!1)),seed:C("request","seed",qe(0,Number.MAX_SAFE_INTEGER)),length:C("request","maxTokens",qe(1,Ai)),at:C("view","sentenceIndex",Bt),step:C("view","outputPosition",Bt),source:C("view","inputPosition",Bt),key:C("view","keyPosition",Bt),head:C("view","head",_i),share:C("view","rowShare",qe(.1,1,!1)),words:C("view","groupsWords",Dt),alone:C("view","hidesOtherRows",Dt),isExplained:C("view","showsComputation",Dt),isHtml:C("request","isHtml",Dt),sortBy:C("heads","sortBy",String),off:C("heads","disabled",Oi)},Ci=["direction","text","beam","temperature","seed","length","at","off","isHtml"],Dn=(e,{group:t,field:n})=>e[t][n]??null,Uo=Rn(),In=!1;function N(){In=!0}function Hi(e){let t=!a.request.translatesWhileTyping&&!a.status.busy.translate&&!a.status.error;return e==="text"&&D()&&t?a.output.sourceText:Dn(a,Wn[e])}var Li=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function Ii(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=Ft??Ti();return[["edits",e.length?JSON.stringify(e.map(Li)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var Ni=e=>e==="text"||e==="direction"||e==="head"&&a.view.head===oe();function Vo(){let{storedPage:e}=a.server,t=new URLSearchParams;for(let[s,r]of Object.entries(Wn)){let i=Hi(s);e&&Ci.includes(s)||i===null||i===Dn(Uo,r)||String(i)===""||t.set(s,String(i))}if(!e){for(let[r,i]of Ii())t.set(r,i);let s=[...a.request.text.trim().split(`
`)[0]].slice(0,60).join("");document.title=s?`${s} · Regard`:"Regard"}let o=`#${a.output.isExample&&[...t.keys()].every(Ni)?"":t}`;o===(location.hash||"#")||location.protocol==="about:"||(In?history.pushState(null,"",o):history.replaceState(null,"",o),In=!1)}var Nn=e=>Number.isSafeInteger(e)&&e>=0,Go=e=>Array.isArray(e)?e.filter(Nn):[];function Ko(e){try{return JSON.parse(e??"null")}catch{return null}}function Wi(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!Nn(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:Go(r)}}]:Nn(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function Di(e){let t=Ko(e);return Array.isArray(t)?t.flatMap(Wi):[]}function Bi(e){let t=Ko(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:Go(t[1])}:e?{text:e,ids:[]}:null}function Bn(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(Wn)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??Dn(Uo,s))}let n=Number(e.get("snapshot")??NaN);return Ft={edits:Di(e.get("edits")),snapshot:n>=0?n:null,compared:Bi(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var qt=()=>ye(Bn());var Fn=new Map,zo=()=>Fn.clear();function G(e){let t=Fn.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return Fn.set(e,o),o}var ae=(e,t)=>`rgba(${G(e).join(", ")}, ${t.toFixed(3)})`,Z=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var Fi=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,qi=new RegExp(String.raw`\s+|${Fi.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),ji=4e6,ke=e=>[...e.matchAll(qi)].map(({0:t,index:n})=>({text:t,begin:n}));function jt(e,t){let n=p=>p.map(h=>h.text).filter(h=>h.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,l=0;for(;i<r&&o[i]===s[i];)i++;for(;l<r-i&&o.at(-1-l)===s.at(-1-l);)l++;let c=Ui(o.slice(i,o.length-l),s.slice(i,s.length-l)),u=(p,h,f)=>{let b=new Set(c.map(w=>w[h]+i)),y=-1;return p.map(w=>w.text.trim()!==""&&++y>=i&&y<f-l&&!b.has(y))};return[u(e,0,o.length),u(t,1,s.length)]}function Ui(e,t){let n=[],o=t.length+1;if(e.length*t.length>ji)return n;let s=new Uint32Array((e.length+1)*o),r=(i,l)=>s[i*o+l];for(let i=e.length-1;i>=0;i--)for(let l=t.length-1;l>=0;l--){let c=e[i]===t[l];s[i*o+l]=c?r(i+1,l+1)+1:Math.max(r(i+1,l),r(i,l+1))}for(let i=0,l=0;i<e.length&&l<t.length;)e[i]===t[l]?n.push([i++,l++]):r(i+1,l)>=r(i,l+1)?i++:l++;return n}function Xo(e,t){let n=[ke(e),ke(t)],o=jt(...n),s=r=>n[r].filter((i,l)=>o[r][l]).map(i=>i.text);return[s(0),s(1)]}var Ue=e=>JSON.stringify([a.request.modelName,e.source,a.request.beamSize,e.prefix]);async function le(){let e=$();e?.isDone&&await R("search","Searching",async t=>{let n=Ue(e),o={...U(),text:e.source,beam_size:a.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await M("translate",o,t),r=$();r&&Ue(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function Vi(e,{weights:t}){return e==="mean"||t.has(e)||ie.some(n=>e===`${O}${n}`)?!0:[...t.keys()].some(n=>e===`${ee}${P(n)}`)}function pt(e,t,n=null){let{head:o,outputPosition:s}=a.view,r=a.heads.disabled.filter(i=>e.weights.has(i));ye({inspection:{result:e}}),g({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:Vi(o,e)?o:oe(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),a.view.head.startsWith(O)&&Q(a.view.head)}async function W(){let e=$();if(!e?.isDone||!e.text||!k()||(await R("inspect","Looking inside",async n=>{pt(await We(Ne(e),n),e)}),L()))return;a.heads.disabled.length&&await J();let{trace:t}=a.search;t?.source===e.source&&t.requestKey!==Ue(e)&&await le()}async function Ut(e){let t=$();!t?.isDone||!t.text||(g({inspection:{snapshot:e}}),await R("inspect","Loading a snapshot",async n=>{let o={...Ne(t),snapshot:e,...Lt(t)};pt(await We(o,n),t,e)}))}async function Q(e){let t=a.inspection.result;if(!e.startsWith(O)||!t)return g({view:{head:e},inspection:{flow:null}});await R("flow","Following the layers",async n=>{let o=await Nt(t,`flow/${e.slice(O.length)}`,n);a.inspection.result===t&&g({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var Jo="";function Qo(e){let{result:t,lookup:n}=a.inspection,{head:o,showsComputation:s}=a.view;if(!t?.weights.has(o)||!s||L())return;let r=qn(e),i=Jo===r&&(dt("lookup")||a.status.error!=="");n?.cell===r||i||(Jo=r,R("lookup","",async l=>{let c=await Nt(t,`lookup/${o}/${e.row}/${e.key}`,l);g({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var ht=()=>T()?.no_parts??"",Yo={writes:"",stream:""};function es(e,t,n,o){let{result:s}=a.inspection;if(!s||L()||ht())return;let r=Yo[e]===t&&(dt(e)||a.status.error!=="");a.inspection[e]?.cell===t||r||(Yo[e]=t,R(e,"",async i=>{o(await Nt(s,n,i))}))}function ts(e){let{head:t}=a.view;if(!a.inspection.result?.weights.has(t))return;let n=Te(e.row,t);es("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function ns(e){let t=Te(e);es("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}var Gi=0,Zo=new WeakMap;function Te(e,t=""){let n=a.inspection.result,o=Zo.get(n)??++Gi;return Zo.set(n,o),`${o}/${t}/${e}`}var qn=({row:e,key:t})=>`${Te(e,a.view.head)}/${t}`;async function os(){await R("models","",async e=>{let{models:t}=await M("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>Oe(s)===a.request.modelName);g({server:{models:t},request:{modelName:o?a.request.modelName:Oe(n)},status:{error:"",needsApiKey:!1}})})}async function Ve(){await R("count","",async e=>{if(!a.request.text.trim()||!k())return g({tokenCounts:{total:null}});let t={...U(),text:a.request.text},n=await M("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var Ge=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1});function jn(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var K=e=>e.join("").replaceAll("▁"," ").trimStart(),Vt=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),Ke=e=>/^<[^<>]+>$/.test(e);function Se(e,t,n="inserted"){let o=ke(e),[s]=jt(o,ke(t)),r=i=>n==="deleted"?d`<del>${i}</del>`:d`<mark>${i}</mark>`;return d`${o.map((i,l)=>s[l]?r(i.text):i.text)}`}var ss=e=>Ke(e)?`
`:e.replaceAll("▁"," ");function Un({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>ss(i.token)),o=ke(n.join("")),[s]=jt(o,ke(t.tokens.map(i=>ss(i.token)).join(""))),r=0;return n.map(i=>{let l=r;r+=i.length;let c=u=>u.begin<r&&u.begin+u.text.length>l;return o.some((u,p)=>s[p]&&c(u))})}var v=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",Ki=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,ce=e=>Ki.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",zi=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,Xi=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function rs(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>zi.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!Xi.some(r=>r.test(n))&&o!=="ء"}function ze(e,t){let n=rs(e[t-1],e[t])?["joins-before"]:[],o=rs(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var Ae=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function ue(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var Xe=(e,t)=>Array.from({length:e.keys},(n,o)=>ue(e,t,o));function Gt(e,t){let n=e.map((i,l)=>l).sort((i,l)=>e[l]-e[i]),o=new Set,s=e.reduce((i,l)=>i+l,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var Vn=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function is(e){let t=Vn(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function as(e){let[t]=e,n=Vn(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function ls(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function cs(e,t,n){let o=Vn(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,l)=>{let c=s.every(h=>i.every(f=>Ae(e,h,f))),u=h=>i.reduce((f,b)=>f+ue(e,h,b),0),p=s.reduce((h,f)=>h+u(f),0);o.values[r*n.length+l]=c?o.forbidden:p/s.length})}),o}var gs=new WeakMap,bs=e=>gs.get(e);function ys(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),gs.set(t,e),t}var us=new WeakMap;function ws(e,t){let n=us.get(e)??new Map,o=[t,...G("paper"),...G("heat")].join(" "),s=n.get(o)??Ji(e,t);return us.set(e,n.set(o,s)),s}function Gn(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function Ji(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let u=0;u<e.rows;u++)for(let p=0;p<e.keys;p++){if(Ae(e,u,p))continue;let h=Math.floor(u*n/e.rows)*o+Math.floor(p*o/e.keys);s[h]=Math.max(s[h],ue(e,u,p))}let r=new ImageData(o,n),[i,l,c]=[G("paper"),G("heat"),G("forbidden")];return s.forEach((u,p)=>{u<0?Gn(r,p,c,c,1):Gn(r,p,i,l,u)}),ys(r)}var Kn=new WeakMap,$s=e=>Kn.get(e);function vs(e,t){Kn.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:!1,labels:[],frames:[]}),e.width=t.width,e.height=t.height,e.getContext("2d").drawImage(t,0,0)}function xs(e,t,n){vs(e,ws(t,n))}function ks(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((l,c)=>{let u=G(l<0?"less":"more");Gn(o,i*n+c,G("paper"),u,Math.abs(l)/s)})}),vs(e,ys(o))}var Yi=14,Zi=120,ds=10,ps=44,Qi=60,ea=800,ta=640,na=1.2,hs=6,Kt="13px system-ui, sans-serif";function ms(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...v(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function fs(e,t,n){let o=Math.max(Math.ceil(Yi/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function oa(e,t,n){let{weights:o,rows:s,keys:r,chosen:i,isMirrored:l}=t;e.font=Kt;let c=Math.min(Zi,n*.25),u=ms(e,s,c),p=ms(e,r,c),h=I=>Math.max(...I.map(ci=>e.measureText(ci).width)),f=h(u)+ds,b=h(p)+ds,y=n>ea?Qi:ps,w=Math.max(ta*y/ps/s.length,2*hs),S=Math.max(na,Math.min(y,(n-f-2)/r.length,w)),E=S>=hs?Math.floor(S):S,F=E*r.length,pe=E*s.length,Tt=I=>f+E*(l?r.length-1-I:I),wn={rows:fs(s.length,E,i.row),keys:fs(r.length,E,i.key)},bo=I=>Z(I?"accent":"ink"),ai=[...wn.rows.map(I=>({text:u[I],x:f-6,y:b+E*(I+.5),isVertical:!1,fill:bo(I===i.row)})),...wn.keys.map(I=>({text:p[I],x:Tt(I)+.5*E,y:b-6,isVertical:!0,fill:bo(I===i.key)}))],yo={stroke:Z("accent"),thickness:1.5},li=[{x:f-.5,y:b-.5,width:F+1,height:pe+1,stroke:Z("line"),thickness:1},{x:f,y:b+E*i.row,width:F,height:E,...yo},{x:Tt(i.key),y:b,width:E,height:pe,...yo}];return{plan:{image:ws(o,1/0),left:f,top:b,width:F,height:pe,isMirrored:l,labels:ai,frames:li},layout:{left:f,top:b,size:E,...wn}}}function Ts(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=oa(o,t,n),{image:i,left:l,top:c,width:u,height:p,isMirrored:h,labels:f,frames:b}=s;Kn.set(e,s);let y=window.devicePixelRatio||1;e.width=Math.round((l+u+2)*y),e.height=Math.round((c+p+2)*y),e.style.width=`${l+u+2}px`,e.style.height=`${c+p+2}px`,o.scale(y,y),o.imageSmoothingEnabled=!1,o.save(),h&&o.transform(-1,0,0,1,2*l+u,0),o.drawImage(i,l,c,u,p),o.restore();for(let w of f)zn(o,w);for(let w of b)o.strokeStyle=w.stroke,o.lineWidth=w.thickness,o.strokeRect(w.x,w.y,w.width,w.height);return r}function zn(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=Kt,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var mt=12,sa="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",ra=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*ia(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:l}of e.data.matchAll(/\S+/gu)){o.setStart(e,l),o.setEnd(e,l+i.length);let{x:c,y:u,width:p,height:h}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;p&&(yield{kind:"text",x:c,y:u,width:p,height:h,text:i,fill:n,font:f,direction:t.direction})}}function*aa(e,{x:t,y:n,width:o,height:s},r){let i=$s(e);if(!i||!o)return;let{image:l,isMirrored:c}=i,u=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:l,isMirrored:c,opacity:r,...u};for(let p of i.frames)yield{kind:"frame",radius:0,...p,x:t+p.x,y:n+p.y};for(let p of i.labels)yield{kind:"label",...p,x:t+p.x,y:n+p.y,width:0,height:0}}function*la(e,t,n){let{x:o,y:s,width:r,height:i}=n,l=parseFloat(t.borderRadius)||0,c=(p,h=2)=>({kind:"frame",stroke:p,thickness:h,radius:l,...n}),u=(p,h,f=2)=>({kind:"line",...n,path:p,origin:[o,s],scale:[1,1],fill:"none",stroke:h,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield u(`M 0 0 L ${r} ${i}`,Z("less"))),e.matches("del")&&(yield u(`M 0 ${i/2} L ${r} ${i/2}`,Z("bad"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(Z("accent"))),e.matches(".token.prefix-end")&&(yield c(Z("more"))),e.matches(".token.new, u.new")&&(yield u(`M 2 ${i-1} L ${r-2} ${i-1}`,Z("more")))}function ca(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:l,e:c,f:u}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,u],scale:[i,l],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*Ss(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches(sa)||i.visibility==="hidden")return;let l=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*aa(e,r,c);else if(e instanceof SVGPathElement)yield ca(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!l&&o&&!ra(i.backgroundColor)){let u=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:u}}for(let u of e.childNodes)u instanceof Text?yield*ia(u,i,l?i.fill:i.color):u instanceof Element&&u.tagName!=="title"&&(yield*Ss(u));l||(yield*la(e,i,r))}function zt(e){let{classList:t}=document.documentElement;t.add("saving");try{return ua(e)}finally{t.remove("saving")}}function ua(e){let t=[],n=mt,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,l=r.y-s.scrollTop,c=n;for(let u of Ss(s)){let p=u.x-i+mt,h=u.y-l+n;t.push(u.kind==="line"?{...u,x:p,y:h,origin:[u.origin[0]-i+mt,u.origin[1]-l+n]}:{...u,x:p,y:h}),o=Math.max(o,p+u.width),c=Math.max(c,h+u.height)}n=c+mt}return{shapes:t,width:Math.ceil(o+mt),height:Math.ceil(n),paper:Z("paper")}}var Xt=2;function da(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")zn(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function As(e){let{shapes:t,width:n,height:o,paper:s}=zt(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=Xt*n,r.height=Xt*o,i.scale(Xt,Xt),i.fillStyle=s,i.fillRect(0,0,n,o);for(let l of t)da(i,l);return r}var pa=3e5,Xn=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function te(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):Xn(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function ha({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=bs(e),l=new Map,c=o.width/r,u=o.height/i,p=(f,b)=>{let y=f*r+(t?r-1-b:b);return[0,1,2].map(w=>s[4*y+w].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let b=0,y;b<r;b=y){let w=p(f,b);for(y=b+1;y<r&&p(f,y)===w;)y++;let S={x:o.x+b*c,y:o.y+f*u,width:(y-b)*c,height:u},E=l.get(w)??[];l.set(w,E),E.push(te("rect",S))}let h=[...l].map(([f,b])=>te("g",{fill:`#${f}`},b.join("")));return te("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},h.join(""))}function ma({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let l=document.createElement("canvas");return l.width=e.width,l.height=e.height,l.getContext("2d").drawImage(e,0,0),te("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:l.toDataURL()})}function fa(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return te("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:l,radius:c}=e;return te("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(l)})}case"cells":return e.image.width*e.image.height>pa?ma(e):ha(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${Kt}`};return te("text",i,`⁨${Xn(e.text)}⁩`)}case"line":return te("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return te("text",i,Xn(e.text))}}}function Rs(e){let{shapes:t,width:n,height:o,paper:s}=zt(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(fa)].join(`
`),l={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${te("svg",{xmlns:"http://www.w3.org/2000/svg",...l},`${i}
`)}
`}function Es(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var Re=(e,t,n="text/plain")=>Es(e,new Blob([t],{type:n}));function ga(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function Ps(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",Ps);addEventListener("pointerdown",Ps);function _(e,t,n,o){let s={PNG:()=>As(t).toBlob(i=>{i&&Es(`${e}.png`,i)}),SVG:()=>Re(`${e}.svg`,Rs(t),"image/svg+xml"),CSV:()=>Re(`${e}.csv`,ga(n()),"text/csv"),JSON:()=>Re(`${e}.json`,`${JSON.stringify(o(),null,2)}
`,"application/json")},r=i=>{i.currentTarget.closest("details").open=!1};return d`<details class="save">
    <summary aria-label="Save: ${e}">Save</summary>
    <span class="files"
      >${Object.entries(s).map(([i,l])=>d`<button
            type="button"
            aria-label="${e} as ${i}"
            @click=${c=>{l(),r(c)}}
            >${i}</button
          >`)}</span
    >
  </details>`}var Ms={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},ft=e=>(...t)=>({_$litDirective$:e,values:t}),Je=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var Jn=class extends Je{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},A=ft(Jn);var ba={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python: the kind, and layer and number counted from 0. Encoder: the input looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the input. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a token looks at another, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells: a token that is being written may not look at later ones."],flow:["Through all layers","Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat below the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each sublayer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers that the head makes of two tokens. Softmax turns scores into weights: e to the score, divided by the sum over the row."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},Jt=8;function ya(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(Jt,Math.min(n.left,innerWidth-t.offsetWidth-Jt)),r=n.bottom+t.offsetHeight+Jt<innerHeight?n.bottom+4:Math.max(Jt,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function x(e,t){let[n,o]=ba[e];return d`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${ya}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var wa=24,$a=.5,va=.1;function xa(){let{ablations:e=[]}=a.inspection.result;if(!e.length)return m;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>d`<tr>
        <td>${o.heads.join(", ")}</td>
        <td class="number">${o.log_prob_change.toFixed(4)}</td>
        <td dir="auto">${o.text}</td>
      </tr>`);return d`<section class="panel without" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without heads</h2>
      ${_("without",["#ablations"],t,()=>e)}
    </div>
    <table id="ablations">
      <thead>
        <tr>
          <th>heads</th>
          <th>change, ${x("nats","nats")} per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody> ${n} </tbody>
    </table>
  </section>`}function _s(e,t){let n=e.toFixed(t);return Number(n)===0?n.replace("-",""):`${e>0?"+":""}${n}`}function Os(e,t,n){let o=Math.max(n?$a:va,...t.map(Math.abs)),s=(r,i)=>{let l=v(e[i]??""),c={width:`${50*Math.abs(r)/o}%`,[r<0?"right":"left"]:"50%"};return d`<div class="change" role="listitem" aria-label="${l} ${r.toFixed(2)} ${n}">
      <bdi>${l}</bdi>
      <span class="track two"><span class=${r<0?"less":"more"} ${A(c)}></span></span>
      <span class="number">${_s(r,2)}</span>
    </div>`};return d`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(s)}
  </div>`}function ka({token_changes:e,log_prob_change:t,text:n}){let o=a.heads.ablatedSentence,s=e.reduce((c,u)=>c+u,0),r=k()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",l=o.prefix!==""||o.edit?.kind==="translation";return d`<p> Written then: <bdi class="strong" id="written-then">${Se(n,o.text)}</bdi> </p>
    ${l?d`<p class="hint" id="same-prefix">${i}</p>`:m}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${_s(s,3)}</span> ${x("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, each token after the right ones:
    </p>
    ${Os($e(o),e,"nats")}`}function Ta({predicted:e=[]}){let t=a.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:l})=>[i,l])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(l=>l.label).join(" ");return d`<p>
      Said then: <bdi class="strong" id="written-then">${Se(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:l})=>o.get(i)-l);return d`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${Os(n,r,"")}`}function Sa(){let{disabled:e}=a.heads;if(!e.length)return d`<p class="hint">
      Switch a head off: this shows how much less likely each token becomes, and what the model
      ${we()?"writes":"says"} instead.
    </p>`;let t=n=>d`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void Be([n])}
      >${n} ✕</button
    >`;return d`<p class="chips"
    >${e.length>wa?`${e.length} heads are off.`:e.map(t)}</p
  >`}function Aa(e){let{predicted:t,token_changes:n}=e,o=$e(a.heads.ablatedSentence);return _("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function Cs(){let{result:e,sentence:t}=a.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=a.heads;if(!e||!t)return m;if(a.server.storedPage)return xa();if(!X())return m;let i=j()||n!==null&&o!==t,l=p=>d`${we()?ka(p):Ta(p)}
      <p class="legend">
        <span><i class="less"></i> less likely without the heads</span>
        <span><i class="more"></i> more likely</span>
      </p>
      <p class="hint">
        A model was not trained without them, so this is what they are worth here, not what another model could do.
      </p>`,c=d`<button id="all-on" @click=${()=>void se([])}>Switch all on</button>`,u=d`<button id="undo" @click=${()=>void qo()}>Undo</button>`;return d`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${s.length?c:m} ${r.length?u:m}
      ${n?Aa(n):m}
    </div>
    ${Sa()} ${n?l(n):m}
  </section>`}var{I:Ud}=Po;var Hs=e=>e.strings===void 0;var gt=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),gt(o,t);return!0},Yt=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},Ls=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Pa(t)}};function Ra(e){this._$AN!==void 0?(Yt(this),this._$AM=e,Ls(this)):this._$AM=e}function Ea(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)gt(o[r],!1),Yt(o[r]);else o!=null&&(gt(o,!1),Yt(o));else gt(this,e)}var Pa=e=>{e.type==Ms.CHILD&&(e._$AP??=Ea,e._$AQ??=Ra)},Zt=class extends Je{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),Ls(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(gt(this,t),Yt(this))}setValue(t){if(Hs(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var Yn=new WeakMap,Ye=ft(class extends Zt{render(e){return m}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),m}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=Yn.get(t);n===void 0&&(n=new WeakMap,Yn.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?Yn.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function Ma({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let l=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(l=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(l=s+/^\s*/u.exec(o.slice(s,l).join(""))[0].length);let u=o.slice(s,l).join("");return s=l,u})}var Is=/^▁?(<unk>|\[UNK\])$/;function _a(e,t){let n=t.trim();return Is.test(e)&&n&&!Is.test(n)?`<unk: ${n}>`:e}function en(e,t){let n=a.view.groupsWords?ls(e):e.spelled.map((r,i)=>[i]),o=Ma(e,t),s=e.spelled.map((r,i)=>_a(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:ce(t)}}function Ns({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function Ws(e,t,n,o,s){let r=a.view.groupsWords?cs(t,n.groups,o.groups):t,i=Ns(n,s.row),l=Xe(r,i),c=l.indexOf(Math.max(...l)),u=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:u?Ns(o,s.key):c}}function Oa({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,l=en(e,r??s),c=en(t,s),{outputPosition:u,inputPosition:p}=a.view,h=r===null&&i.length>0,f=h?u-1:u,b=Ws("flow",is(n),l,c,{row:f,key:p});return h&&(l.groups=l.groups.map(y=>y.map(w=>w+1))),b}function Ca(){let{tokens:e,weights:t}=a.inspection.result,{head:n}=a.view,o=[...t.keys()],s=o.filter(l=>n===`${ee}${P(l)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(l=>l.startsWith(`${i}.`))}var Qt=null;function Ha(e){return Qt?.heads.length===e.length&&e.every((n,o)=>n===Qt.heads[o])||(Qt={heads:e,mean:as(e)}),Qt.mean}function bt(){let{result:e,flow:t}=a.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=a.view;if(!e)return null;if(n.startsWith(O))return t&&Oa(t);let{text:i,target:l,weights:c}=e,u=c.has(n)?[n]:Ca(),p=u[0].split(".")[0],h=e.tokens[p],f=u.map(E=>c.get(E)),b=en(h.rows,p==="encoder"?i:l??i),y=en(h.keys,p==="decoder"?l??i:i),w=h.rows.spelled.length-1,S=Mn(p)?{row:Math.min(o,w),key:s}:{row:Math.min(s??0,w),key:r};return Ws(p,f.length>1?Ha(f):f[0],b,y,S)}function B({kind:e,rows:t,keys:n},o,s){let r=({groups:c},u)=>c[Math.max(0,Math.min(u,c.length-1))][0],i=r(t,o),l=r(n,s);Mn(e)?g({view:{outputPosition:i,inputPosition:l}}):g({view:{inputPosition:i,keyPosition:l}})}var Ds=12;function z(e,t=1){let n=G("paper"),o=G(e);return d`<span class="ramp" aria-hidden="true"
    >${Array.from({length:Ds},(s,r)=>{let i=n.map((l,c)=>Math.round(l+t*r/(Ds-1)*(o[c]-l)));return d`<i ${A({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var La=1e3,Ia=.5,Na=.7,Wa=.05,Da="20px system-ui, sans-serif",Ba=16,Fa=3,qa=3,de=30,Bs=14,Zn=140,ja=640,Ua=.7,Va=1.4,Ga=.4,tn=null;function Ka(e){let t=Math.min(a.view.rowShare,Ia);if(tn?.weights===e&&tn.share===t)return tn.edges;let n=Math.max(1,Math.floor(La/e.rows)),o=Array.from({length:e.rows},(s,r)=>Us(e,r,t).slice(0,n)).flat();return tn={weights:e,share:t,edges:o},o}function Us(e,t,n){let o=Xe(e,t);return[...Gt(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var Fs=new OffscreenCanvas(1,1).getContext("2d");function on(e){return Fs.font=Da,Fs.measureText(e).width}function nn(e,t){let n=0,o=e.labels.map((s,r)=>{let i=r>0&&e.pieces[r]!==""&&!/^\s|^▁/u.test(e.pieces[r]+s),l=v(s),c=Math.max(24,on(l));return r&&(n+=i?Fa:t*Ba),n+=c,{text:l,x:n-c/2,y:0,width:c}});if(e.direction==="rtl")for(let s of o)s.x=n-s.x;return{width:n,words:o}}function za({rows:e,keys:t},n){let o=f=>Math.max(nn(e,f).width,nn(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(qa,1+(n-Bs-s)/Math.max(r,1))),l={rows:nn(e,i),keys:nn(t,i)},c=Math.max(l.rows.width,l.keys.width)+Bs,u=(f,b)=>f.words.map(y=>({...y,x:y.x+(c-f.width)/2,y:b})),p=de,h=p+Zn;return{width:c,height:h+de,keys:u(l.keys,de/2),rows:u(l.rows,h+de/2),path:(f,b)=>`M ${f.x} ${h} C ${f.x} ${h-Zn/2}, ${b.x} ${p+Zn/2}, ${b.x} ${p}`}}function Xa(e,t){let n=[...e];if(on(e)<=t)return e;for(;n.length>1&&on(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function Ja({rows:e,keys:t},n){let o=(u,p)=>u.labels.map(f=>Xa(v(f),Ga*n)).map((f,b)=>{let y=Math.max(24,on(f));return{text:f,width:y,x:p?n-4-y/2:4+y/2,y:de*(b+.5)}}),[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(u=>u.width)),l=n-10-Math.max(...r.map(u=>u.width)),c=(i+l)/2;return{width:n,height:de*Math.max(s.length,r.length),keys:s,rows:r,path:(u,p)=>{let h=`C ${c} ${u.y}, ${c} ${p.y}, ${i} ${p.y}`;return`M ${n-8-u.width} ${u.y} L ${l} ${u.y} ${h} L ${8+p.width} ${p.y}`}}}function Ya(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function qs(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function Za({text:e,x:t,y:n},o,s,r){return q`<text class="word" x=${t} y=${n} dy="0.35em" data-row=${o==="row"?s:-1}
    data-key=${o==="key"?s:-1} @click=${r}
    @pointerenter=${i=>qs(i,o,s)}
    @pointerleave=${i=>qs(i,o,null)}>\u2068${e}\u2069</text>`}var js=e=>e?q`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-de/2+1}
        width=${e.width+8} height=${de-2} rx="4"></rect>`:m;function Vs(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=Ya(),l=i<ja,c=l?Ja(e,i):za(e,i),u=l?1:Math.max(Ua,Math.min(Va,i/c.width)),h=[...a.view.hidesOtherRows?[]:Ka(t).filter(y=>y.row!==s),...Us(t,s,a.view.rowShare)],f=y=>{let w=y.row===s,S=Math.max(Wa,w?y.weight:Na*y.weight);return q`<path class=${w?"edge here":"edge"} data-row=${y.row} data-key=${y.key}
      data-weight=${y.weight.toFixed(3)} opacity=${S} stroke-width=${1+4*y.weight}
      d=${c.path(c.rows[y.row],c.keys[y.key])}></path>`},b=(y,w,S)=>w.map((E,F)=>Za(E,y,F,()=>S(F)));return d`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(u*c.width)}
      height=${Math.round(u*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label="Curves from each of ${n.labels.length} tokens to those of ${o.labels.length} that it looks at"
    >
      ${h.map(f)} ${js(c.keys[r])} ${js(c.rows[s])}
      ${b("key",c.keys,y=>B(e,s,y))}
      ${b("row",c.rows,y=>B(e,y,r))}
    </svg>
  </div>`}var H=e=>e.target.value,Ze=e=>e.target.checked,Qe=e=>e.ctrlKey||e.metaKey||e.altKey,sn=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);var Gs=5,Qa=.85,el=.6;function tl({weights:e,rows:t,keys:n,row:o,key:s}){let r=(l,c)=>{let u=Math.max(0,Math.min(l-2,c-Gs));return Array.from({length:Math.min(Gs,c)},(p,h)=>u+h)},i=(l,c)=>{let u=Ae(e,l,c)?"forbidden":ue(e,l,c).toFixed(2),p=`${v(t.labels[l])} → ${v(n.labels[c])} ${u}`;return d`<td role="gridcell" aria-label=${p}></td>`};return d`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(l=>d`<tr> ${r(s,e.keys).map(c=>i(l,c))} </tr>`)}
    </tbody>
  </table>`}function Ks({pieces:e,labels:t,direction:n},o){let{id:s,label:r,chosen:i,shareOf:l,choose:c}=o,u=(h,f)=>{let b=l(f),y=h!==""&&!/\p{Letter}/u.test(h),w=A({background:b?ae("heat",Qa*b):"",color:b>el?"var(--paper)":""}),S=`part ${f===i?"here":""}`,[,E,F]=/^(\s*)([^]*)$/u.exec(h);if(ze(e,f))return d`${E}<span class=${S} @click=${()=>c(f)} ${w}>${F}</span>`;let pe=F||h||v(t[f]);return d`<bdi class=${h?"":"symbol"} dir=${y?n:"auto"} @click=${()=>c(f)}
      >${F?E:m}<span class=${S} ${w}>${pe}</span></bdi
    >`},p=e.map(u);return d`<p id=${s} class="tokens" dir=${n} role="group" aria-label=${r}>${p}</p>`}function nl(e){let t=a.inspection.result?.target!==null;return e==="flow"?`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${a.inspection.flow?.caveat}`:e==="cross"?"Each row is a token of the output, as it is predicted; each column is a token of the input.":e==="decoder"&&t?"Each row is a token of the output, as it is predicted; each column is a token before it.":e==="decoder"?"Each row is a token of the text; each column is a token that it looks at: itself, or one before it.":`Each row is a token of the ${t?"input":"text"}; each column is a token of the same text that it looks at.`}function ol(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>B(t,n-1,o),ArrowDown:()=>B(t,n+1,o),ArrowLeft:()=>B(t,n,o-i),ArrowRight:()=>B(t,n,o+i),Home:()=>B(t,n,0),End:()=>B(t,n,s.keys-1),n:()=>Ce(1),p:()=>Ce(-1),PageDown:()=>He(1),PageUp:()=>He(-1)}[e.key];Qe(e)||!c||(c(),e.preventDefault())}var Ee=null,zs=()=>Ee;function sl(e,t){if(!Ee)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-Ee.left)/Ee.size),i=Math.floor((e.clientY-s.top-Ee.top)/Ee.size),l=o.direction==="rtl"?n.keys-1-r:r;i>=0&&l>=0&&i<n.rows&&l<n.keys&&B(t,i,l)}function rl(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",l={weights:t,rows:n.labels,keys:o.labels,chosen:{row:s,key:r},isMirrored:i},c=h=>{queueMicrotask(()=>{let f=h?.parentElement;f&&(Ee=Ts(h,l,f.clientWidth))})},u=`${t.rows} rows, ${t.keys} columns`,p=d`<span><i class="stroke"></i> the others</span>`;return d`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label="Weights of ${a.view.head}: ${u}. Arrow keys choose a cell."
        ${Ye(c)}
        @pointerdown=${h=>sl(h,e)}
        @keydown=${h=>ol(h,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${x("weight","weight")} 0 ${z("heat")} 1</span>
      <span><i class="forbidden"></i> forbidden by a mask</span>
      <span><i class="stroke here"></i> the chosen token</span> ${a.view.hidesOtherRows?m:p}
    </p>`}function il({kind:e,weights:t,rows:n,keys:o,row:s,key:r,bestKey:i}){let l=t.values instanceof Uint16Array?3:2,c=y=>ue(t,s,y).toFixed(l),u=d`<bdi class="strong">${v(n.labels[s])}</bdi>`,p=d`<bdi class="strong">${v(o.labels[r])}</bdi>`,h=d`<span class="strong number">${c(r)}</span>`,f=!Ae(t,s,r);if(e==="flow"&&f)return d`<p id="cell" role="status">${p} has a share of ${h} in ${u}.</p>`;let b=d`Most, ${c(i)}, goes to <bdi>${v(o.labels[i])}</bdi>.`;return d`<p id="cell" role="status">
    ${u} ${f?d`looks with ${h} at`:"may not look at"} ${p}.
    ${r===i?m:b}
  </p>`}function Xs(){let e=(r,i)=>d`<option value=${r} ?selected=${r===a.view.head}>${i}</option>`,t=[...a.inspection.result.weights.keys()],n=[...new Set(t.map(P))],o=r=>d`<optgroup label="${Ct(r)} (${r})">
      ${t.filter(i=>P(i)===r).map(i=>e(i,`${On(i)} (${i})`))}
      ${e(`${ee}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>d`<optgroup label="Through all layers">
      ${ie.map(r=>e(`${O}${r}`,r))}
    </optgroup>`;return d`${x("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void Q(H(r))}>
      ${n.map(o)} ${e("mean","mean")} ${a.server.storedPage?m:s()}
    </select>
    ${al()}`}function al(){let e=Ot();if(!e)return m;let{head:t,isOfModel:n}=e;return d`<button id="aligns" aria-pressed=${a.view.head===t} @click=${()=>void Q(t)}
    >${n?"Alignment head":"Alignment layer of this sentence"}</button
  >`}function ll(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=a.view,o=`${Math.round(100*e)} %`;return d`${x("share","Share of a row")}
    <label
      ><input
        id="share"
        type="range"
        min="0.1"
        max="1"
        step="0.05"
        .value=${String(e)}
        aria-label="Share of a row"
        aria-valuetext=${o}
        @input=${s=>g({view:{rowShare:Number(H(s))}})}
      />
      <span class="number">${o}</span></label
    >
    <span
      ><input
        id="words"
        type="checkbox"
        aria-label="words"
        .checked=${t}
        @change=${s=>g({view:{groupsWords:Ze(s)}})}
      />
      ${x("words","words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${n}
        @change=${s=>g({view:{hidesOtherRows:Ze(s)}})}
      />
      only the chosen token</label
    >`}function cl({weights:e,rows:t,keys:n}){let o=(l,c)=>Ae(e,l,c)?null:ue(e,l,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((l,c)=>n.labels.flatMap((u,p)=>{let h=o(c,p);return h===null?[]:[[c,p,l,u,h]]}))],r=(l,c)=>{let u=o(l,c);return u===null?null:Number(u)};return _("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:a.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((l,c)=>n.labels.map((u,p)=>r(c,p)))}))}function ul({kind:e,keys:t}){return d`<p class="hint" id="reading">
    ${nl(e)} ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":m} ${e==="flow"?m:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."}
  </p>`}var Qn=()=>k()||a.server.storedPage?"Alignment":"Attention";function dl(){let e=we()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return d`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${Qn()}</h2></div>
    ${a.inspection.result?Xs():m}
    <p class="hint">${$()?"…":e}</p>
  </section>`}function pl(){let{head:e}=a.view,{result:t}=a.inspection;return t?.weights.has(e)?Ht(e):e.startsWith(O)?`Through all layers: ${e.slice(O.length).replace("-"," ")}`:e.startsWith(ee)?`Mean of ${Ct(e.slice(ee.length))}`:"Mean of the last kind of heads"}function Js(){let e=bt();return!e||!a.inspection.result?dl():d`<section class="panel alignment ${Ys(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title">${Ot()?x("alignment",Qn()):Qn()}</h2>
      <span id="shown-head" class="strong">${pl()}</span>
      ${cl(e)}
    </div>
    <div class="together chooser" data-unsaved>${Xs()}</div>
    ${Vs(e)} ${il(e)}
  </section>`}function Ys({kind:e}){let{result:t,flow:n}=a.inspection;return j()||e==="flow"&&n?.inspection!==t}function Zs(){let e=bt();if(!e||!a.inspection.result)return m;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=Xe(r,o),l=Gt(i,a.view.rowShare),c=Ks(t,{id:"row-tokens",label:"tokens that look",chosen:o,shareOf:()=>0,choose:p=>B(e,p,s)}),u=Ks(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:p=>l.has(p)?i[p]:0,choose:p=>B(e,o,p)});return d`<section class="panel matrix ${Ys(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${ll()}
    </div>
    ${rl(e)} ${tl(e)}
    <div class="sides">${c} ${u}</div>
    ${ul(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var Qs=320,er=18;function Pe(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=Qs/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,l=(c,u)=>q`<rect x=${u*r} width=${r} height=${er} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return d`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${Qs} ${er}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(l)}
    </svg>
  </div>`}var hl=.01,ml=.12;function fl({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>d`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${A({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return d`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function gl({likelier:e,said:t}){if(!e.length&&!t)return m;let n=()=>d`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${v(t[0])}</bdi>, which is written here.`,o=()=>d`Read by the output layer, it makes these likelier, most of all the first:
    ${e.map(([s,r])=>d`<span class="likelier"><bdi class="strong">${v(s)}</bdi> +${r.toFixed(2)}</span> `)}
    (${x("logit","logits")}).`;return d`<p>${e.length?o():m} ${t?n():m}</p>`}function bl({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((c,u)=>u===0||n.weights[c]>=hl),r=n.weights.length-s.length,i=Math.max(0,1-s.reduce((c,u)=>c+n.weights[u],0)),l=s.map((c,u)=>{let p=n.weights[c],h=d`<bdi>${v(t[c]??"")}</bdi>
      <span class="number">× ${p.toFixed(2)}</span>`,f=Math.max(ml,p);return Pe(`value ${u}`,h,n.values[u],{max:o,opacity:f})});return d`<p>
      Each of these tokens has a ${x("value","value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${l}
    ${r?d`<p class="hint">and ${r} more keys, together × ${i.toFixed(2)}.</p>`:m}
    ${Pe("sum",d`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${fl(n)}</div>
    ${gl(n)}`}function tr(e){ts(e);let{writes:t}=a.inspection,n=ht(),o=t!==null&&t.cell!==Te(e.row,a.view.head);return d`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?d`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?bl({keys:t.result.keys,labels:t.view.keys.labels},t.result):d`<p class="hint">…</p>`}
  </div>`}var yl=6;function wl(e,t){let{weights:n,allowed:o,scores:s,bias:r}=t,i=w=>s[w]+r[w],l=n.map((w,S)=>S).filter(w=>o[w]),c=Math.max(...l.map(i)),u=w=>Math.exp(i(w)-c),p=l.reduce((w,S)=>w+u(S),0),h=[...l].sort((w,S)=>i(S)-i(w)).slice(0,yl),f=h.includes(e.key)||!o[e.key]?h:[...h,e.key],b=w=>d`<tr class=${w===e.key?"strong":""}>
      <td><bdi>${v(e.keys.labels[w])}</bdi></td>
      <td class="number">${i(w).toFixed(2)}</td>
      <td class="number">${u(w).toFixed(3)}</td>
      <td class="number">${n[w].toFixed(3)}</td>
      <td class="fill">
        <span class="track"><span ${A({width:`${100*n[w]}%`})}></span></span>
      </td>
    </tr>`,y=l.length-f.length;return d`<table id="softmax">
      <thead>
        <tr>
          <th>key</th>
          <th>score</th>
          <th>exp(score − ${c.toFixed(2)})</th>
          <th>÷ ${p.toFixed(2)} = weight</th>
          <th><span class="unseen">weight, as a bar</span></th>
        </tr>
      </thead>
      <tbody> ${f.map(b)} </tbody>
    </table>
    ${y>0?d`<p class="hint">and ${y} more keys.</p>`:m}`}function $l({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:l}=t;if(!l[e])return d`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((f,b)=>f+b,0),u=f=>d`<span class="number">${f.toFixed(3)}</span>`,p=d`, times ${u(s)} (1 ÷ √${n.length})`,h=d`, plus ${u(i[e])} for the positions`;return d`<p id="score">
    The sum, ${u(c)}${s===1?m:p}${i[e]?h:m}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function vl({row:e}){let{target:t,tokens:n}=a.inspection.result;if(!(t===null||a.view.head.startsWith("encoder.")))return n.decoder?.keys.spelled[e]}function xl(e,t){let n=d`<bdi class="strong">${v(e.rows.labels[e.row])}</bdi>`,o=d`<bdi class="strong">${v(e.keys.labels[e.key])}</bdi>`,s=vl(e),r=d`<p class="hint" id="place">
    The query is made where the model has read <bdi class="strong">${v(s??"")}</bdi> and is about
    to write ${n}.
  </p>`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number";return d`${s===void 0?m:r}
    ${Pe("query",d`query ${s===void 0?"of":"before"} ${n}`,t.query)}
    ${Pe("key",d`key of ${o}`,t.key)} ${Pe("terms",i,t.terms)}
    ${$l(e,t)} ${wl(e,t)} ${tr(e)}
    <p class="legend"><span>below 0 ${z("less")}</span> <span>above 0 ${z("more")}</span></p>`}function kl(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return _("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((u,p)=>[u,n[p],o[p],Number(s[p]),r[p]])],()=>({head:a.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:a.inspection.writes?.result??null}))}function nr(){let e=bt(),t=a.inspection.result;if(!t||!e||a.server.storedPage)return m;let{showsComputation:n,groupsWords:o,head:s}=a.view,r=t.weights.has(s);n&&!o&&Qo(e);let i=n&&r&&!o?a.inspection.lookup:null,l=j()||i!==null&&i.cell!==qn(e),u=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?xl(i.view,i.result):"…":"What is shown is not one head. Choose a head in the grid.":"A token asks with its query; the other tokens answer with their keys, and give their values: this shows the numbers.";return d`<section class="panel computed ${l?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${x("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?kl(i.view,i.result):m}
    </div>
    ${typeof u=="string"?d`<p class="hint">${u}</p>`:u}
  </section>`}var Tl=5,Sl=480,or=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function sr(e){let{importance:t,importanceByToken:n}=a.heads,{sentence:o}=a.inspection,s=e.map(b=>n[b]??[]),r=Math.max(...s.map(b=>b.length));if(!t||!o||!r)return m;let i=k()?0:1,l=Math.max(0,Math.min(a.view.outputPosition-i,r-1)),c=e.findIndex((b,y)=>b===a.view.head&&s[y].length),u=v($e()[l]??""),p=c<0?"":`${e[c]} is worth ${s[c][l].toFixed(3)} nats for ${u}.`,h=b=>{b&&ks(b,s,r)},f=b=>{let y=b.target.getBoundingClientRect(),w=e[or(b.clientY-y.top,y.height,e.length)],S=or(b.clientX-y.left,y.width,r)+i;g({view:{head:w,outputPosition:Math.min(S,o.tokens.length-1)}})};return d`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${p}"
      ${Ye(h)}
      ${A({height:`${Math.min(Tl*e.length,Sl)}px`})}
      @pointerdown=${f}
    ></canvas>
    <p id="sweep-cell" role="status">${p||"Click a cell."}</p>
    <p class="legend">
      <span>without the head, the token is more likely ${z("less")}</span>
      <span>less likely ${z("more")}</span>
    </p>
    <p class="hint">
      A row for each head, in the order above; a column for each
      token${k()?", the end included":" after the first"}.
    </p>
  </details>`}var Al=44,Rl=.4,eo={place:()=>0,worth:({head:e})=>-(a.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},ir=()=>a.heads.sortBy!=="place"&&Object.hasOwn(eo,a.heads.sortBy);function ar(){let{heads:e}=a.inspection.result;if(ir()){let n=eo[a.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>P(n.head)))].map(n=>({layer:n,heads:e.filter(o=>P(o.head)===n)}))}var lr=()=>a.inspection.result.heads.map(e=>e.head),cr=e=>lr().filter(t=>P(t)===P(e));function ur(e){let t=lr().filter(s=>s!==e),{disabled:n}=a.heads,o=n.length===t.length&&!n.includes(e);se(o?[]:t)}function El(e,t){let n=ar().map(({heads:u})=>u.map(p=>p.head)),o=n.findIndex(u=>u.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),l=(u,p)=>u[Math.max(0,Math.min(p,u.length-1))];return{ArrowLeft:l(r,i-1),ArrowRight:l(r,i+1),ArrowUp:l(l(n,o-1),s),ArrowDown:l(l(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var rr={n:()=>Ce(1),p:()=>Ce(-1),PageDown:()=>He(1),PageUp:()=>He(-1)};function Pl(e,t){if(Qe(e))return;let n=El(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(rr,e.key))rr[e.key]();else if(e.key===" "&&X())Be(e.shiftKey?cr(t):[t]);else if(e.key==="s"&&X())ur(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${a.view.head}"]`)?.focus())}function Ml(e){let t=Math.max(...Object.values(a.heads.importance??{}),1e-9),n=ae("more",Rl*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return d`<span class="tag number" aria-hidden="true" ${A({background:n})}>${o}</span>`}function _l({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function Ol(e,t){let{head:n}=e,o=a.inspection.result.weights.get(n),s=a.heads.disabled.includes(n),r=a.heads.importance?.[n],i=_l(e),l=u=>{u&&xs(u,o,Al)},c=n.replace(/^(\w)\w+/,"$1");return d`<button
    class="cell ${s?"off":""}"
    aria-pressed=${a.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${u=>Pl(u,n)}
    ><canvas ${Ye(l)}></canvas>
    ${ir()?d`<span class="tag" aria-hidden="true">${c}</span>`:m}
    ${r===void 0?m:Ml(r)}</button
  >`}function Cl(e){let t=a.heads.disabled.includes(e),n=cr(e).filter(o=>o!==e);return d`<button id="toggle" data-unsaved @click=${()=>void Be([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>ur(e)}>Solo</button>
    <button data-unsaved @click=${()=>void se(n)}>Solo in its layer</button>`}function Hl({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e],i=d`, ${x("offset","offset")} ${s?.toFixed(1)}`;return d`<div class="chosen">
    <p class="strong" id="head-words">${Ht(e)}</p>
    ${X()?d`<p class="together">${Cl(e)}</p>`:m}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${x("label",t)}; ${x("entropy","entropy")} ${n.toFixed(2)}
      nats, ${x("highest","highest weight")} ${o.toFixed(2)}${s===null?m:i}, mean over
      rows.${r===void 0?m:d` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}function Ll(){let{sortBy:e,importance:t}=a.heads,n=Object.keys(eo).filter(o=>o!=="worth"||t);return d`<label
    >Order
    <select id="order" @change=${o=>g({heads:{sortBy:H(o)}})}>
      ${n.map(o=>d`<option value=${o} ?selected=${o===e}>${o}</option>`)}
    </select></label
  >`}function Il(e,t){if(!e)return m;let n=`Layer ${Number(e.split(".")[1])+1}`;return X()?d`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void Be(t)}
    >${n}</button
  >`:d`<span class="site">${n}</span>`}function Nl(e){return!(a.inspection.result?.target!=null)||e==="encoder"?"The text reads itself":e==="cross"?"The translation reads the text":"The translation reads what is written"}function Wl(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function Dl(e,t){let[n]=e[0].layer.split(".");return d`<div class="group">
    ${n?d`<p class="kind hint">${Nl(n)}</p>`:m} ${e.map(o=>Bl(o,t))}
  </div>`}function Bl({layer:e,heads:t},n){let o=t.map(s=>s.head);return d`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${Il(e,o)}
    <div class="cells ${e?"":"sorted"}" ${A({"--count":String(t.length)})}>
      ${t.map(s=>Ol(s,s.head===n))}
    </div>
  </div>`}function Fl(){let{heads:e}=a.inspection.result,{importance:t,importanceByToken:n,disabled:o}=a.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return _("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?$e():[]],...e.map(({head:c,label:u,entropy:p,confidence:h,offset:f})=>{let b=t?n[c]??[]:[];return[c,u,p,h,f,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function dr(){let e=a.inspection.result;if(!e)return d`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=a.heads,n=e.heads.find(c=>c.head===a.view.head),o=ar(),s=n?.head??o[0]?.heads[0]?.head,r=d`<button id="rank" @click=${()=>void Fe()}>Rank all heads</button>
    <span class="hint">by ${x("worth","worth")}</span>`,i=()=>Re("heads-off.txt",`${t.join(`
`)}
`);return d`<section
    class="panel heads ${j()?"stale":""}"
    aria-labelledby="heads-title"
    ${A({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${Ll()} ${we()&&X()?r:m}
      ${t.length?d`<button @click=${i}>List of heads that are off</button>`:m}
      ${Fl()}
    </div>
    ${n?Hl(n):m}
    <div id="heads">${Wl(o).map(c=>Dl(c,s))}</div>
    ${sr(o.flatMap(({heads:c})=>c.map(u=>u.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${X()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":m}
    </p>
  </section>`}var to=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function rn(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:to(),block:"start"})})}var pr=150,wt=40,no=84,yt=pr-no/2,ql=e=>/\.\d+\.\d+$/.test(e);function jl(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${Number(n)+1}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&a.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function Ul({parts:e}){return Object.keys(e).filter(ql).sort((n,o)=>e[o]-e[n])[0]}function Vl({name:e,length:t,total:n},o,s){let r=y=>Math.min(no,Math.max(1,no*y/s)),[i,l]=[r(o),r(n)],c=Math.min(wt,r(t)),u=e==="embeddings",p=u?l:i,h=wt/2,f=yt-i/2,b=`M 0 ${h} C 30 ${h}, ${f-14} ${h}, ${f+6} ${h+4}`;return q`<path class="state" d="M ${yt-p/2} 0 L ${yt+p/2} 0
      L ${yt+l/2} ${wt} L ${yt-l/2} ${wt} Z"></path>
    ${u?m:q`<path class="added" stroke-width=${c.toFixed(2)} d=${b}></path>`}`}function Gl(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:l}=e,c=Ul(e),u=c!==void 0&&P(a.view.head)===s,p=()=>{Q(c),rn(".alignment")},h=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=jl(s),b=d`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${p}
    >${f}</button
  >`;return d`<div class="junction ${u?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?b:f}</span>
    <svg viewBox="0 0 ${pr} ${wt}" preserveAspectRatio="none" role="img" aria-label=${h}>
      <title>${h}</title>
      ${Vl(e,t,n)}
    </svg>
    <span class="number length">${r.toFixed(1)}</span>
    ${l?d`<bdi class=${l[0]===o?"strong":""}>${v(l[0])}</bdi
            ><span class="number">${(100*l[1]).toFixed(0)} %</span>`:m}
  </div>`}function hr(e,t){if(a.server.storedPage||ht()||!a.inspection.result?.weights.size)return;ns(e);let{stream:n}=a.inspection;if(!n)return d`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:u})=>u)),[r]=o,{token:i,position:l}=r?.parts??{},c=d`The embedding of the token is ${i?.toFixed(1)} long, that of its position
  ${l?.toFixed(1)}.`;return d`<div class="captions" aria-hidden="true">
      <span></span><span></span><span class="number length">adds</span><span>would write</span>
    </div>
    <div class="stream ${n.cell===Te(e)?"":"stale"}" role="list">
      ${o.map((u,p)=>Gl(u,{before:o[p-1]?.total??0,max:s,expected:t}))}
    </div>
    <p class="hint">
      ${x("stream","The state")} of the token before the one that is written, from the embedding down: each sublayer
      adds a vector of this length. Then the token that the output layer would write from the state as it is there (the
      logit lens). Before the last layers it is a hint only: the state is made for the layers that follow.
      ${l===void 0?"The embedding has no part for the position.":c}
    </p>`}var Kl=5;async function Me(){je(),await fr()}async function mr(){let{text:e}=a.request,t=Y(),n=()=>t!==null&&Y()===t&&a.request.text===e&&!a.status.error;await fr();for(let o of t?.edits??[])n()&&await zl(o);t&&n()&&await Xl(t,n),Y()===t&&!a.status.error&&je(),g({})}async function zl({sentenceIndex:e,edit:t}){if(!a.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=a.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?wr(t.position,t.token,t.prefix):et(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await W()}async function Xl(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=a.heads;s&&t()&&await le(),r&&t()&&await Fe(),g({heads:{sortBy:i}}),o&&t()&&await $t(o),n!==null&&T()?.snapshots?.includes(n)&&t()&&await Ut(n)}async function fr(){let{text:e,isHtml:t}=a.request;if(xe("inspect"),!k())return;if(!e.trim())return xe("translate"),g(..._t);if(t)return await Jl(e);await R("translate","Translating",async o=>{let s=Ie(),r={...U(),...s,text:e,alternatives:Le};await gr(r,o,{decoding:s},i=>{let l=Math.max(0,Math.min(a.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null},view:{hoveredToken:null,sentenceIndex:l}})})})&&$()?.isDone&&await W()}async function Jl(e){await R("translate","Translating",async t=>{let n={...U(),...Ie(),text:e,format:"html"},{text:o}=await M("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},En)})}async function gr(e,t,n,o){let s=a.request.temperature?{}:{n_best:Math.min(a.request.beamSize,Kl)},r=[];for await(let{name:i,data:l}of Io({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<l.sentences;c++)r.push({...Ge(),index:c,...n});continue}if(i==="error")throw new V(l.status,l.message);if(i==="token"){let c=r[l.sentence];c.text=l.text,c.tokens.push(...l.tokens??[])}else i==="done"&&Yl(r,l,n.separator);o(r)}}function Yl(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:l,score:c,source:u,ids:p,n_best:h=[]}=r,f=Math.max(t.indexOf(l,s),s),b={text:l,score:c,source:u,ids:p,nBest:h,isDone:!0,separator:o??t.slice(s,f)};jn(Object.assign(e[i],b),r),s=f+l.length})}function br(){let e=Object.values(a.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var yr=e=>!Ke(e)||k()&&e===br();async function oo(e,t){let n=$();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);N(),await an(async()=>{t===br()?await et({text:K(o),ids:n.ids.slice(0,e)}):await wr(e,t,K([...o,t]))})}async function an(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),De(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function wr(e,t,n){let o=$(),{sentences:s}=a.output,{sentenceIndex:r}=a.view;if(!o?.isDone)return;let{source:i,separator:l}=o,c=Ie(),u={...U(),...c,text:i,prefix:n,split:!1,alternatives:Le},p={kind:"prefix",position:e,token:t,prefix:n},h={source:i,separator:l,decoding:c,prefix:n,original:o.original??o,edit:p},f=s,b=await R("translate","Decoding again",async w=>{await gr(u,w,h,([S])=>{f=s.with(r,S),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})});f!==s&&a.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),b&&$()?.isDone&&await W()}async function so(){let{original:e}=$()??{};e&&(N(),await an(async()=>{let{sentenceIndex:t,outputPosition:n}=a.view;g({output:{sentences:a.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await W()}))}async function $r(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...U(),text:e.source,...s,alternatives:Le},i=await M("score",r,o),l={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return jn(l,{...i,tokens:i.tokens.slice(0,-1)}),l}async function $t(e){let t=$(),{compared:n}=a.output;if(!t||n&&Vt(n,e))return g({output:{compared:null}});await R("compare","Reading",async o=>{g({output:{compared:await $r(t,e,o)}})})}async function et(e){let t=$(),{sentenceIndex:n}=a.view;if(!t)return;await R("translate","Reading",async s=>{let r=await $r(t,e,s),i=Math.max(0,Math.min(a.view.outputPosition,r.tokens.length-1));g({output:{sentences:a.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await W()}var xr=.55,Zl=-3,tt=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,ro=e=>({background:e===null?"":ae("doubt",xr*Math.min(1,e/Zl))});function kr(e,t){let n=a.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&W()}function Ql(e,t,n){let o=a.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||Qe(e)||(e.preventDefault(),kr(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function Tr({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function ec(e,t,n,o,s){let r=e.tokens[t],{outputPosition:i}=a.view,l=a.view.sentenceIndex===n,c=l&&i===t,u=t===0&&(!l||i>=e.tokens.length),p=Tr(e,r,t);return d`<button
    class="token ${o?"new":""} ${p?"prefix-end":""} ${s}"
    ${A(ro(r.log_prob))}
    aria-pressed=${c}
    tabindex=${c||u?0:-1}
    data-place=${t}
    aria-description=${r.log_prob===null?"":tt(r.log_prob)}
    title=${p?"written by you":m}
    @click=${()=>kr(n,t)}
    @keydown=${h=>Ql(h,n,t)}
    @pointerenter=${h=>oc(h,n,t)}
    @pointerleave=${Sr}
    dir="auto"
    >${v(r.token)}</button
  >`}var tc=200,nc=280,vr=8,ln=0;function oc(e,t,n){if(e.pointerType==="touch"||(clearTimeout(ln),!a.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function Sr(){clearTimeout(ln),ln=window.setTimeout(()=>{a.view.hoveredToken&&g({view:{hoveredToken:null}})},tc)}function cn(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=a.view;if(!t)return m;let{sentenceIndex:s,position:r,left:i,bottom:l}=t,c=a.output.sentences[s],u=c?.tokens[r];if(!u||s===n&&r===o)return m;let p=b=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},h=innerWidth-nc-vr,f={left:`${Math.max(vr,Math.min(i,h))}px`,top:`${l}px`};return d`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(ln)}
    @pointerleave=${Sr}
    ${A(f)}
  >
    ${Ar(c,u,p,-1)}
  </div>`}function Ar(e,t,n,o){let s=(r,i)=>{let l=r===t.token;return d`<button
      class="bar ${l?"own":""}"
      tabindex=${o}
      ?disabled=${l||!e.isDone||!yr(r)}
      @click=${()=>n(r)}
      ><bdi>${v(r)}</bdi
      ><span class="track"><span ${A({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${tt(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function un(e){let t=$(),{outputPosition:n}=a.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return m;let s=v(o.token);return d`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${Ar(t,o,r=>void e(n,r),0)}
  </div>`}var sc=e=>d`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${v(e)} back"
    @click=${()=>void so()}
    >✕</button
  >`,io=(e,t)=>t&&e.startsWith("▁")?" ":m;function rc(e,t){let{original:n}=e;if(!n||!e.isDone)return m;let o=d`<button id="take-back" data-unsaved @click=${()=>void so()}>Take it back</button>`;return d`<p class="before hint">
    before: <bdi>${Se(n.text,e.text,"deleted")}</bdi> ${t===a.view.sentenceIndex?o:m}
  </p>`}function nt(e,t){let n=Un(e),o=e.tokens.map(c=>c.token),s=!e.isDone&&a.status.busy.translate,r=o.map((c,u)=>{let p=ze(o,u),h=ec(e,u,t,n[u],p),b=e.isDone&&Tr(e,e.tokens[u],u)&&t===a.view.sentenceIndex;return d`${io(c,u)}${h}${b?sc(c):m}`}),i=ce(K(o)),l=`Sentence ${t+1}`;return d`<p class="output" dir=${i} data-sentence=${t} role="group" aria-label=${l}>
      ${r}${s?d`<span class="caret"></span>`:m}
    </p>
    ${rc(e,t)}`}function ot(){let e=a.output.sentences.some(s=>Un(s).some(Boolean)),t=$()?.edit?.kind==="prefix",n=d`<span><u class="new">underlined</u>: other than before</span>`,o=d`<span><span class="token prefix-end">framed</span>: written by you</span>`;return d`<p class="legend" id="doubts">
    <span>${x("probability","the model was sure")} ${z("doubt",xr)} unsure</span>
    ${e?n:m} ${t?o:m}
  </p>`}function st(){let e=a.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let l=[n,i,o,s];return r.length?r.map(c=>[...l,...c]):[[...l,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var ic=900,Rr=0;function Er(){g({view:{isPlaying:!a.view.isPlaying}}),clearInterval(Rr),a.view.isPlaying&&(Rr=window.setInterval(ac,ic))}function ac(){let e=(a.inspection.sentence?.tokens.length??1)-1;a.view.outputPosition>=e?Er():g({view:{outputPosition:a.view.outputPosition+1}})}var lc=e=>e?`layer ${e-1}`:"embeddings";function cc(e,t,n){let o=(s,[r,i])=>d`<div class="change" role="listitem">
      <span>${lc(s)}</span
      ><span class="track"><span ${A({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${v(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return d`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the logit lens). Early layers were not trained for this: read
      it as a hint.
    </p>`}function uc(e,t){return _("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],l)=>[l,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:a.inspection.stream?.result.sublayers??null}))}function dc(e,t){let n=Math.max(0,e.tokens.length-1),{token:o="",log_prob:s}=e.tokens[t]??{},{isPlaying:r}=a.view,i=()=>d`<span id="probability">${tt(s)}</span>`;return d`<div class="controls">
    <button id="play" @click=${Er} aria-label=${r?"Pause":"Play"}
      >${r?"❚❚":"▶"}</button
    >
    <input
      id="step"
      type="range"
      min="0"
      max=${n}
      step="1"
      .value=${String(t)}
      aria-label="Token"
      aria-valuetext=${v(o)}
      @input=${l=>g({view:{outputPosition:Number(H(l))}})}
    />
    <span
      >token ${t+1} of ${n+1}:
      <bdi class="strong">${v(o)}</bdi> ${typeof s=="number"?i():m}</span
    >
  </div>`}function pc(){let e=t=>{let n=`${O}${t}`,o=()=>{Q(n),rn(".alignment")};return d`<button aria-pressed=${a.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return d`<p class="flows">
    <span class="hint">What reached the output ${x("flow","through all layers")}:</span> ${ie.map(e)}
  </p>`}function Pr(){let{sentence:e,result:t,flow:n}=a.inspection;if(!t||!e)return m;let{storedPage:o}=a.server,{lens:s,target:r,token_log_probs:i}=t,l=s.length>0,c=Math.max(0,Math.min(a.view.outputPosition,e.tokens.length-1)),u=r===null&&i.length>0,p=e.tokens[u?c+1:c]?.token,h=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",f=n!==null&&a.view.head.startsWith(O);return d`<section class="panel layers ${j()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">${l?x("lens","Through the layers"):"Through the layers"}</h2>
      ${l?uc(e,s):m}
    </div>
    ${dc(e,c)}
    ${u&&l?d`<p class="hint">After this token, each layer would write:</p>`:m}
    ${hr(c,p)??(l?cc(s,c,p):d`<p class="hint">${h}</p>`)}
    ${o?m:pc()}
    ${f?d`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:m}
  </section>`}var Mr=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function hc({trace:e}){let t=Mr(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,l)=>{let{fate:c,token:u,id:p}=i,h=i.parent===null?t:n[i.parent];if(!h||c==="dropped"&&!r.has(i))return;let f=c==="finished",b=f?h.path:[...h.path,u],y=f?h.ids:[...h.ids,p],w={...Mr(),id:`${o}.${l}`,step:o+1,token:u,candidate:i,path:b,ids:y};return h.children.push(w),w})}return t}function ao(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(l=>ao(l,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var vt=null;function _r(e,t){if(vt?.trace===e&&vt.ids===String(t))return vt;let n=hc(e),o=e.trace.length,s=ao(n,t,o);s||ao(n,e.sentences[0]?.ids??[],o);let r=[],i=0,l=(u,p,h)=>{let f={node:u,parent:p,x:8+84*h,y:32*(i+1)};r.push(f),u.children.length||(i+=1);let b=[...u.children].sort((y,w)=>Number(w.isOnBestPath)-Number(y.isOnBestPath));for(let y of b)l(y,f,h+1)};l(n,null,0);let c=Math.max(...r.map(u=>u.x))+84;return vt={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},vt}function Or({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function Cr({nodes:e},t,n){let o=e.filter(l=>l.x===t.x).sort((l,c)=>l.y-c.y),[s]=e.filter(l=>l.parent===t).sort((l,c)=>l.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var Hr=9,mc={active:"went on",finished:"ended",dropped:"was dropped"};function fc(e){let t=[...v(e)];return t.length>Hr?`${t.slice(0,Hr-1).join("")}…`:t.join("")}function Lr({path:e,ids:t}){e.length&&(N(),et({text:K(e),ids:t}))}async function gc({path:e,ids:t}){await $t({text:K(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function bc({node:e}){let{fate:t,score:n}=e.candidate,o=K(e.path),s=String(e.ids)===String($()?.ids),r=d`<button id="open" @click=${()=>Lr(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void gc(e)}>Compare with the chosen one</button>`;return d`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${mc[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:m}
  </p>`}function yc(e,t,n){let s=e.key==="Enter"||e.key===" "?n:Cr(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var Ir=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function wc(e){return q`<path class="branch ${Ir(e)}" d=${Or(e)}></path>`}function $c(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:l}=o.candidate;return q`<g class="node ${Ir(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===a.search.candidate}
      aria-label="${v(o.token)}, ${i}, score ${l.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>Lr(o)}
      @keydown=${c=>yc(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${fc(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${l.toFixed(2)}</text>
    <title>${K(o.path)} (${l.toFixed(3)})</title></g>`}function vc(e,t){let n=e.nodes.slice(1),o=t??n[0];return d`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(wc)} ${n.map(s=>$c(e,s,s===o))}
    </svg>
  </div>`}function xc(e,t,n){if(t)return d`<p class="hint">This is the search for another translation.</p>`;if(n)return m;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return d`<p class="hint" id="unsearched">${o}</p>`}function kc(e,t,n){let o=_r(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===a.search.candidate),r=d`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return d`${vc(o,s)} ${s?bc(s):m}
    ${xc(t,n,o.isFound)} ${t.prefix?r:m}
    <p class="hint">
      From left to right, a step for each token; below each token is its score.
      <span class="sign best">${o.isFound?"The chosen hypothesis":"The best hypothesis"}</span>, in the top row,
      <span class="sign dropped">dropped</span> (of each step, the best two), <span class="sign finished">ended</span>.
      Click a token to open its text in the other panels, or to compare it.
    </p>`}function Tc(e){return _("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:l,fate:c},u)=>[o+1,u,s,r,i,l,c]))],()=>e)}function Nr(){let e=$(),{trace:t}=a.search;if(!a.inspection.result||!e||!k())return m;let n=t!==null&&t.requestKey!==Ue(e),o=d`<p class="hint">
    Beam search keeps the ${a.request.beamSize} best beginnings at each step. This draws all that it tried.
  </p>`;return d`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${x("search","Search")}</h2>
      <button id="search" @click=${()=>void le()}>${t?"Search again":"Show the search"}</button>
      ${t?Tc(t):m}
    </div>
    ${t?kc(t,e,n):o}
  </section>`}function Wr(){let e=T()?.snapshots??[];if(!e.length||!k()||!$()?.isDone)return m;let{snapshot:t,result:n}=a.inspection,o=t===null?e.length:e.indexOf(t),s=l=>{let c=e[Number(H(l))];c===void 0?W():Ut(c)},r=t===null?"the model itself":d`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=d`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return d`<section class="panel snapshots ${j()?"stale":""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">${x("snapshot","While it was trained")}</h2>
    </div>
    <div class="controls">
      <input
        id="snapshot"
        type="range"
        min="0"
        max=${e.length}
        step="1"
        .value=${String(o)}
        aria-label="Step of training"
        aria-valuetext=${t===null?"the model itself":`step ${t}`}
        @input=${s}
      />
      <span>${r}</span>
    </div>
    ${t!==null&&n?.written!==void 0?i:m}
    <p class="hint">The panels above show what the model looked at then, while the same translation was written.</p>
  </section>`}function Dr(){let e=a.inspection.result,t=$(),{note:n,says:o}=a.server.storedPage;return d`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${_("text",["#text",".stored .output[data-sentence]"],st,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?d`<p dir="auto" id="says">${o}</p>`:m} ${nt(t,0)}
    ${e.token_log_probs.length?ot():m}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?d`<p class="hint" id="note">${n}</p>`:m}
  </section>`}function Br(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function Sc(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function dn(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,l=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...Ge(),source:t,text:n??t,isDone:!0,tokens:(l?r.slice(0,-1):r).map((u,p)=>({token:u,log_prob:s[p-c]??null,alternatives:[]}))}}async function Ac({packed:e,bytes:t,parts:n}){let o=await Sc(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,l=0;for(let{heads:c,rows:u,keys:p}of n)for(let h of c){let f=l+u*p;i.set(h,{rows:u,keys:p,values:s.subarray(l,f),scale:r-1,forbidden:r}),l=f}return i}async function Fr(e){let t=await Ac(e),n={...e.inspection,request:{},weights:t},o=dn(n),{text:s}=n;qt(),ye({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=a.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var qr=[20,50,100,200];async function Rc(e,t,n){let o={model:T().name,prompt:e,...t,logprobs:Le,echo:!0},{choices:s}=await M("v1/completions",o,n),{text:r,logprobs:i}=s[0];if(!i)throw new Error("The server must send the log-probabilities that were asked for.");let l=i.tokens.map((c,u)=>({token:c.replaceAll(" ","▁"),log_prob:i.token_logprobs[u]??null,alternatives:Object.entries(i.top_logprobs[u]??{}).sort((p,h)=>h[1]-p[1])}));return{text:r,ids:i.token_ids,tokens:l}}async function Ec(e,t){let{name:n,max_tokens:o}=T(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await M("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function lo(e=null){let{text:t}=a.request,n=e?.prefix??t,o=e&&($()?.original??$()??null);await R("translate","Writing",async s=>{let{name:r,max_tokens:i}=T(),{temperature:l,seed:c}=a.request,u=Math.min(a.request.maxTokens,await Ec(n,s));if(u<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let p={max_tokens:u,temperature:l,seed:c},{text:h,tokens:f,ids:b}=await Rc(n,p,s),y=b.slice(0,i??b.length),w=await We({model:r,text:h,ids:y},s),S=dn(w).tokens,E={...Ge(),source:n,text:h,ids:y,decoding:p,original:o,edit:e,isDone:!0,tokens:S.map((pe,Tt)=>({...pe,alternatives:f[Tt]?.alternatives??[]}))},F=Math.max(0,Math.min(e?.position??0,S.length-1));g({output:{sentences:[E],sourceText:t,attribution:null},view:{sentenceIndex:0,outputPosition:F,hoveredToken:null},search:{trace:null}}),pt(w,E)}),a.heads.disabled.length&&!L()&&await J()}async function co(e,t){let n=$().tokens.slice(0,e),o=K([...n.map(s=>s.token).filter(s=>!Ke(s)),t]);N(),await an(()=>lo({kind:"prefix",position:e,token:t,prefix:o}))}async function Pc(){let{text:e}=a.request;await R("translate","Reading",async t=>{let n=await We({model:T().name,text:e},t),o=dn(n),s=n.predicted?.length?await M(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),pt(n,o)}),a.heads.disabled.length&&!L()&&await J()}async function pn(){je(),N(),await xt()}async function xt(){if(k())return await mr();let e=Y(),{outputPosition:t}=a.view,n=T()?.arch==="decoder";await(n?lo():Pc());for(let{edit:o}of e?.edits??[])Y()===e&&o.kind==="prefix"&&n&&await lo(o);if(e?.ranksHeads&&Y()===e&&await Fe(),e&&Y()===e){je();let o=($()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function hn(){let[e]=T()?.examples??[];e&&!a.request.text&&g({request:{text:e},output:{isExample:!0}})}function jr(e){let t=T();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null},tokenCounts:{total:null},...a.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),hn(),uo(t),a.request.text.trim()&&pn()}function uo(e){let t=T(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==k()||!a.request.text.trim())&&g(..._t)}var mn=[0,.5,.8,1,1.3],Mc=/^und-und(-x-|$)/;function fn(){let{modelName:e}=a.request,{models:t}=a.server;if(t.length<2)return d`<span class="hint">${Mc.test(e)?m:e}</span>`;let n=o=>d`<option value=${o} ?selected=${o===e}>${o}</option>`;return d`<select id="model" aria-label="Model" @change=${o=>jr(H(o))}>
    ${t.map(o=>n(Oe(o)))}
  </select>`}function rt(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((c,u)=>c-u),l=c=>d`<option value=${c} ?selected=${c===n}>${r(c)}</option>`;return d`<select id=${e} aria-label=${s} @change=${c=>o(Number(H(c)))}>
    ${i.map(l)}
  </select>`}var gn=()=>a.status.busy.translate?d`<button @click=${()=>xe("translate")}>Stop</button>`:m;var Ur=.6,re=()=>T()?.arch==="decoder",_c=({label:e,prob:t})=>d`<div class="change" role="listitem">
    <bdi>${v(e)}</bdi>
    <span class="track"><span ${A({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function Oc(){let e=a.inspection.result?.predicted,{attribution:t}=a.output;if(!e?.length)return m;let n=T()?.task==="classify"?"the likeliest class":"the chosen token",o=d`<p class="legend">
      <span>${x("moved","moved it")} little ${z("heat",Ur)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return d`<div id="predicted" role="list">${e.map(_c)}</div> ${t?o:m}`}function Cc(){let e=$();if(!e||!a.inspection.result)return m;let{outputPosition:t}=a.view,n=a.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=(r,i)=>{let l=o?.[i]??0;return d`<button
      class="token"
      dir="auto"
      aria-pressed=${t===i}
      data-place=${i}
      data-share=${l.toFixed(3)}
      ${A({background:o?ae("heat",Ur*l):""})}
      @click=${()=>g({view:{outputPosition:i}})}
      >${v(r)}</button
    >`};return d`<p class="output" id="moved" dir=${ce(e.text)}>
    ${e.tokens.map((r,i)=>s(r.token,i))}
  </p>`}function Hc(){let{text:e,maxTokens:t,temperature:n}=a.request,o=rt("length",qr,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=rt("temperature",mn,n,i=>g({request:{temperature:i}}),"Temperature"),r=d`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return d`<div class="controls">
    <button class="primary" @click=${()=>void pn()} ?disabled=${!e.trim()&&!re()}
      >${re()?"Continue":"Read"}</button
    >
    ${gn()} ${re()?r:m}
  </div>`}function Lc(e){let t=["#output","#doubts",".alternatives"];if(re())return _("continuation",t,st,()=>a.output.sentences);let n=a.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return _("predicted",t,o,()=>({predicted:a.inspection.result?.predicted,tokens:s,moved:a.output.attribution?.shares}))}function Ic(e){return re()?e?nt(e,0):d`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:d`${Oc()} ${Cc()}`}function Vr(){let e=$(),t=re()&&e!==void 0,n=!!a.status.busy.translate,o=s=>{sn(s)&&pn()};return d`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${fn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${re()?"Text to continue":"Text to read"}
          placeholder=${re()?"Write how it begins.":"Write or paste a text."}
          .value=${a.request.text}
          @input=${s=>g({request:{text:H(s)}})}
          @keydown=${o}
        ></textarea>
        ${Hc()}
      </div>
      <div>
        <div class="head">
          <h2>${re()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&a.inspection.result?Lc(e):m}
        </div>
        <div class=${D()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${Ic(e)}</div>
          ${t?d`${ot()} ${un(co)}`:m}
        </div>
        ${t?cn(co):m}
      </div>
    </div>
  </section>`}var Gr=async()=>{a.heads.disabled.length&&await se([])},bn=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:oe(),showsComputation:!1}}),await Gr()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await Q(oe())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to one token of the translation; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await Dc(()=>a.inspection.lookup!==null&&!dt("lookup"))},text:"The token that looks has a query, and each token that is looked at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:oe()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>se([oe()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,($()?.tokens.length??1)-1)}}),await Gr()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:le,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],Nc=5e3,Wc=20;async function Dc(e){let t=performance.now()+Nc;for(;!e()&&!a.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,Wc))}function Bc(){let{disabled:e,undoStack:t,sortBy:n}=a.heads,{sentences:o,sourceText:s}=a.output;return{view:{...a.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...a.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var ho=null;async function Kr(){let e=T()?.examples?.[0],t=a.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!($()?.isDone&&a.output.sourceText!==""&&!D())||!a.inspection.result||L())&&(t||(N(),g({request:{text:e}})),await Me(),!$()?.isDone)||(ho=Bc(),await mo(0))}async function po(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=ho,r=o.sourceText===a.output.sourceText,i=a.inspection.sentence===(o.sentences[e.sentenceIndex]??null);ho=null;let{isPlaying:l}=a.view,{showsComputation:c,groupsWords:u}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:l,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:u}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await W():await J(),r&&e.head.startsWith(O)&&await Q(e.head),De(()=>scrollTo({top:s}))}async function mo(e){let t=bn[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),De(()=>{if(a.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),qc(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var Fc=12;function qc(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(Fc,(s-o)/2)),behavior:to()})}function zr(){let e=a.view.tourStop,t=e===null?void 0:bn[e];if(e===null||!t||!k())return m;let n=e===bn.length-1,o=r=>{r.key==="Escape"&&po()},s=d`<button id="tour-back" @click=${()=>void mo(e-1)}>Back</button>`;return d`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${bn.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void po()}>End</button>
      <span>
        ${e?s:m}
        <button id="tour-next" class="primary" @click=${()=>void(n?po():mo(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}function jc(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var fo="Copied.";async function Xr(e){let t=!1;try{await navigator.clipboard.writeText(e),t=!0}catch{t=jc(e)}Fo(t?fo:"The browser does not allow copying here. Select the translation, and copy it with the keyboard.")}var Jr=50,Uc=400;async function Yr(e){await R("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let u=0;u<s.length;u+=Jr){let p=s.slice(u,u+Jr),h={...U(),...Ie(),texts:p,format:o?"html":"text"},{translations:f}=await M("translate",h,t);f.forEach((b,y)=>{let w=u+y+1;if("error"in b)throw new V(Uc,`Line ${w} of ${e.name}: ${b.error.message}`);r.push(b.text)}),Wt("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,l]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${T()?.target??"translated"}${l??".txt"}`;Re(c,r.join(`
`),o?"text/html":"text/plain")})}var Vc=300,Gc=[1,2,3,5,8,12],ei=/<\/?[a-z][^>]*>/i,Zr=0;function Kc(e){let t=H(e);g({request:{text:t,isHtml:a.request.isHtml&&ei.test(t)},output:{isExample:!1}}),clearTimeout(Zr),Zr=window.setTimeout(()=>{Ve(),a.request.translatesWhileTyping&&Me()},Vc)}function yn(e){g({request:e}),Me()}function ti(){N(),Me()}function zc(e,t){let{text:n,score:o}=e,s=d`<span class="number">${o.toFixed(3)}</span>`;if(!n)return d`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=a.output,i=r!==null&&Vt(e,r),l=()=>{N(),et(e)},c=d`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void $t(e)}
    >compare</button
  >`;return d`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${l}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?m:c}
  </li>`}var Qr=!1;function Xc(){let e=$();if(!e?.isDone)return m;let{nBest:t}=e,n=t.filter(({text:r},i)=>t.findIndex(l=>l.text===r)===i);if(n.length<2)return m;let o=n.length-1;return d`<details class="nbest" ?open=${Qr} @toggle=${r=>{Qr=r.target.open}}>
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${x("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(r=>zc(r,e))}
    </ol>
  </details>`}function Jc(){let e=$(),{compared:t}=a.output;if(!e?.isDone||!t)return m;let n=({tokens:r})=>r.reduce((i,l)=>i+(l.log_prob??0),0).toFixed(2),o=t.tokens.map(r=>r.token),s=t.tokens.map(({token:r,log_prob:i},l)=>d`${io(r,l)}<span
          class="token ${ze(o,l)}"
          dir="auto"
          title=${tt(i)}
          ${A(ro(i))}
          >${v(r)}</span
        >`);return d`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (the end not counted). Marked words are not in the one above.
    </p>
    <p class="output" dir=${ce(t.text)}>${s}</p>
    <p dir="auto">${Se(t.text,e.text)}</p>
  </div>`}function Yc(){return d`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&Yr(o),n.value=""}}
  /></label>`}function Zc(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=a.tokenCounts;if(e===null)return m;let s=o===1?"1 sentence is":`${o} sentences are`;return d`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${x("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function Qc(){let{text:e,temperature:t,seed:n,isHtml:o}=a.request,s=d`<button id="again" @click=${()=>yn({seed:n+1})}>Draw again</button>`,r=d`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>yn({isHtml:Ze(i)})}
    />
    as HTML</label
  >`;return d`${t&&e.trim()?s:m} ${ei.test(e)?r:m}`}function eu(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=a.request,s=rt("beam",Gc,n,i=>yn({beamSize:i,temperature:0}),"Beam"),r=rt("temperature",mn,o,i=>yn({temperature:i}),"Sampling",i=>i||"off");return d`<div class="controls">
    <button class="primary" @click=${ti} ?disabled=${!e.trim()}>Translate</button>
    ${gn()} ${Qc()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${t}
            @change=${i=>g({request:{translatesWhileTyping:Ze(i)}})}
          />
          while typing</label
        >
        <span class="together">${x("beam","Beam")} ${s}</span>
        <span class="together">${x("sampling","Sampling")} ${r}</span>
        ${Yc()} ${Zc()}
      </div>
    </details>
  </div>`}function tu(){let e=T()?.examples??[];if(!(a.output.isExample||!a.request.text)||!e.length)return m;let n=o=>{N(),g({request:{text:o},output:{isExample:!1}}),Ve(),Me()};return d`<p class="hint">
    ${a.output.isExample?"An example. Write over it, or take another:":"For example:"}
    ${e.map((o,s)=>o===a.request.text?m:d`<button class="link" title=${o} @click=${()=>n(o)}
        ><span class="whole">${o}</span><span class="short" aria-hidden="true">${s+1}</span></button
      > `)}
  </p>`}function nu(){let{html:e,sentences:t}=a.output;return e?d`<pre class="html">${e}</pre>`:t.length?t.map(nt):d`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function ou(){let{html:e,sentences:t}=a.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:l})=>`${i??""}${l}`).join(""),s=()=>_("translation",["#output","#doubts",".alternatives"],st,()=>t),r=d`<button id="copy" @click=${()=>void Xr(o())}
    >${a.status.notice===fo?"Copied":"Copy"}</button
  >`;return d`${n?r:m} ${t.some(i=>i.isDone)?s():m}`}function su(){let{sentences:e}=a.output,t=!!a.status.busy.translate,n=D()||t&&e.every(s=>s.isDone),o=d`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return d`<div>
    <div class="head">
      <h2>Translation</h2>
      ${ou()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${nu()}</div>
      ${D()&&!t?o:m} ${e.length?ot():m}
      ${un(oo)} ${Xc()} ${Jc()}
    </div>
    ${cn(oo)}
  </div>`}function ni(){let e=t=>{sn(t)&&ti()};return d`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${fn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="2"
          class=${a.output.isExample?"example":""}
          spellcheck="false"
          aria-label="Text to translate"
          placeholder="Write or paste a text."
          .value=${a.request.text}
          @focus=${t=>{a.output.isExample&&t.target.select()}}
          @input=${Kc}
          @keydown=${e}
        ></textarea>
        ${eu()} ${tu()}
      </div>
      ${su()}
    </div>
  </section>`}var ri="regard-theme";function ru(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(ri,o)}catch{}g({})}function iu(){return d`<form class="key" @submit=${t=>{t.preventDefault(),Lo(document.querySelector("#key").value),go()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function au(){let e=()=>d`${Js()} ${Zs()}
      <div class="column">${dr()} ${Cs()}</div>
      ${nr()} ${Pr()} ${Wr()}`;return a.server.storedPage?d`${Dr()}${e()}`:a.server.models.length?k()?d`${ni()}${e()}${Nr()}`:d`${Vr()}${a.inspection.result?e():m}`:m}var lu=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function cu(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return d`<nav class="skips" aria-label="Go to a part of the page">
    ${lu.map(([t,n])=>d`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function uu(){return a.server.storedPage?"What the heads look at":k()||!a.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function du(){let e=Object.values(a.status.busy).at(-1),t=d`<button id="tour" @click=${()=>void Kr()}>Explain</button>`;return d`<header>
    <h1>Regard</h1>
    <p class="hint">${uu()}</p>
    <span class="said" role="status">${a.status.notice}</span
    ><span class="status" role="status">${e?d`<span class="spinner"></span>${e} …`:m}</span>
    ${k()?t:m} ${a.server.storedPage?m:d`<a href="docs">API</a>`}
    <button class="theme" @click=${ru} aria-label="Light or dark">◐</button>
  </header>`}function pu(){let{error:e,needsApiKey:t}=a.status;if(!e)return m;let n=d`<button @click=${()=>void Ln()}>Try again</button>`;return d`<p class="error" role="alert">${e} ${t?m:n}</p>`}function hu(){return d`${cu()} ${du()} ${pu()}
    <main>${a.status.needsApiKey?iu():m} ${au()}</main>
    ${zr()}`}function kt(){zo();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(a.status.busy).length>0),Mo(hu(),e)}async function go(){await os(),ii(),hn(),a.request.text&&a.server.models.length&&(Ve(),await xt())}async function mu(){if(!a.server.models.length||a.status.needsApiKey)return await go();(D()||!$()||a.output.sentences.some(t=>!t.isDone))&&!(a.output.html&&!D())?a.request.text.trim()&&(Ve(),await xt()):L()||!a.inspection.result?await W():a.heads.disabled.length&&a.heads.ablatedSentence!==a.inspection.sentence?await J():g({})}function fu(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function gu(){try{return localStorage.getItem(ri)}catch{return null}}var ii=()=>{document.body.dataset.ready="yes"};function bu(){let e=T(),t=Bn();g(t,Y()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),hn(),uo(e),xt()}var oi=gu();oi&&(document.documentElement.dataset.theme=oi);Pn(kt);Pn(Vo);addEventListener("resize",kt);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",kt);Object.assign(globalThis,{regard:{state:a,matrixLayout:zs,unmatchedWords:Xo}});var si=Br();si?(fu(),Fr(si).then(()=>{kt(),ii()})):(qt(),Do(mu),addEventListener("hashchange",bu),kt(),go());})();
