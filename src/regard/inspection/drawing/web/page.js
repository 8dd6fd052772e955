"use strict";(()=>{var Tn=globalThis,Et=Tn.trustedTypes,Ao=Et?Et.createPolicy("lit-html",{createHTML:e=>e}):void 0,Sn="$lit$",ne=`lit$${Math.random().toFixed(9).slice(2)}$`,An="?"+ne,Ti=`<${An}>`,be=document,ut=()=>be.createComment(""),dt=e=>e===null||typeof e!="object"&&typeof e!="function",Rn=Array.isArray,Oo=e=>Rn(e)||typeof e?.[Symbol.iterator]=="function",kn=`[ 	
\f\r]`,ct=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Ro=/-->/g,Eo=/>/g,fe=RegExp(`>|${kn}(?:([^\\s"'>=/]+)(${kn}*=${kn}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Po=/'/g,Mo=/"/g,Co=/^(?:script|style|textarea|title)$/i,En=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),d=En(1),q=En(2),Wu=En(3),pt=Symbol.for("lit-noChange"),m=Symbol.for("lit-nothing"),_o=new WeakMap,ge=be.createTreeWalker(be,129);function Ho(e,t){if(!Rn(e)||!e.hasOwnProperty("raw"))throw Error("invalid template strings array");return Ao!==void 0?Ao.createHTML(t):t}var Lo=(e,t)=>{let n=e.length-1,o=[],s,r=t===2?"<svg>":t===3?"<math>":"",i=ct;for(let l=0;l<n;l++){let c=e[l],u,p,h=-1,f=0;for(;f<c.length&&(i.lastIndex=f,p=i.exec(c),p!==null);)f=i.lastIndex,i===ct?p[1]==="!--"?i=Ro:p[1]!==void 0?i=Eo:p[2]!==void 0?(Co.test(p[2])&&(s=RegExp("</"+p[2],"g")),i=fe):p[3]!==void 0&&(i=fe):i===fe?p[0]===">"?(i=s??ct,h=-1):p[1]===void 0?h=-2:(h=i.lastIndex-p[2].length,u=p[1],i=p[3]===void 0?fe:p[3]==='"'?Mo:Po):i===Mo||i===Po?i=fe:i===Ro||i===Eo?i=ct:(i=fe,s=void 0);let b=i===fe&&e[l+1].startsWith("/>")?" ":"";r+=i===ct?c+Ti:h>=0?(o.push(u),c.slice(0,h)+Sn+c.slice(h)+ne+b):c+ne+(h===-2?l:b)}return[Ho(e,r+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),o]},ht=class e{constructor({strings:t,_$litType$:n},o){let s;this.parts=[];let r=0,i=0,l=t.length-1,c=this.parts,[u,p]=Lo(t,n);if(this.el=e.createElement(u,o),ge.currentNode=this.el.content,n===2||n===3){let h=this.el.content.firstChild;h.replaceWith(...h.childNodes)}for(;(s=ge.nextNode())!==null&&c.length<l;){if(s.nodeType===1){if(s.hasAttributes())for(let h of s.getAttributeNames())if(h.endsWith(Sn)){let f=p[i++],b=s.getAttribute(h).split(ne),w=/([.?@])?(.*)/.exec(f);c.push({type:1,index:r,name:w[2],strings:b,ctor:w[1]==="."?Mt:w[1]==="?"?_t:w[1]==="@"?Ot:ye}),s.removeAttribute(h)}else h.startsWith(ne)&&(c.push({type:6,index:r}),s.removeAttribute(h));if(Co.test(s.tagName)){let h=s.textContent.split(ne),f=h.length-1;if(f>0){s.textContent=Et?Et.emptyScript:"";for(let b=0;b<f;b++)s.append(h[b],ut()),ge.nextNode(),c.push({type:2,index:++r});s.append(h[f],ut())}}}else if(s.nodeType===8)if(s.data===An)c.push({type:2,index:r});else{let h=-1;for(;(h=s.data.indexOf(ne,h+1))!==-1;)c.push({type:7,index:r}),h+=ne.length-1}r++}}static createElement(t,n){let o=be.createElement("template");return o.innerHTML=t,o}};function we(e,t,n=e,o){if(t===pt)return t;let s=o!==void 0?n._$Co?.[o]:n._$Cl,r=dt(t)?void 0:t._$litDirective$;return s?.constructor!==r&&(s?._$AO?.(!1),r===void 0?s=void 0:(s=new r(e),s._$AT(e,n,o)),o!==void 0?(n._$Co??=[])[o]=s:n._$Cl=s),s!==void 0&&(t=we(e,s._$AS(e,t.values),s,o)),t}var Pt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:n},parts:o}=this._$AD,s=(t?.creationScope??be).importNode(n,!0);ge.currentNode=s;let r=ge.nextNode(),i=0,l=0,c=o[0];for(;c!==void 0;){if(i===c.index){let u;c.type===2?u=new Oe(r,r.nextSibling,this,t):c.type===1?u=new c.ctor(r,c.name,c.strings,this,t):c.type===6&&(u=new Ct(r,this,t)),this._$AV.push(u),c=o[++l]}i!==c?.index&&(r=ge.nextNode(),i++)}return ge.currentNode=be,s}p(t){let n=0;for(let o of this._$AV)o!==void 0&&(o.strings!==void 0?(o._$AI(t,o,n),n+=o.strings.length-2):o._$AI(t[n])),n++}},Oe=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,o,s){this.type=2,this._$AH=m,this._$AN=void 0,this._$AA=t,this._$AB=n,this._$AM=o,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=we(this,t,n),dt(t)?t===m||t==null||t===""?(this._$AH!==m&&this._$AR(),this._$AH=m):t!==this._$AH&&t!==pt&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Oo(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==m&&dt(this._$AH)?this._$AA.nextSibling.data=t:this.T(be.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:o}=t,s=typeof o=="number"?this._$AC(t):(o.el===void 0&&(o.el=ht.createElement(Ho(o.h,o.h[0]),this.options)),o);if(this._$AH?._$AD===s)this._$AH.p(n);else{let r=new Pt(s,this),i=r.u(this.options);r.p(n),this.T(i),this._$AH=r}}_$AC(t){let n=_o.get(t.strings);return n===void 0&&_o.set(t.strings,n=new ht(t)),n}k(t){Rn(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,o,s=0;for(let r of t)s===n.length?n.push(o=new e(this.O(ut()),this.O(ut()),this,this.options)):o=n[s],o._$AI(r),s++;s<n.length&&(this._$AR(o&&o._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(!1,!0,n);t!==this._$AB;){let o=t.nextSibling;t.remove(),t=o}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},ye=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,o,s,r){this.type=1,this._$AH=m,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=r,o.length>2||o[0]!==""||o[1]!==""?(this._$AH=Array(o.length-1).fill(new String),this.strings=o):this._$AH=m}_$AI(t,n=this,o,s){let r=this.strings,i=!1;if(r===void 0)t=we(this,t,n,0),i=!dt(t)||t!==this._$AH&&t!==pt,i&&(this._$AH=t);else{let l=t,c,u;for(t=r[0],c=0;c<r.length-1;c++)u=we(this,l[o+c],n,c),u===pt&&(u=this._$AH[c]),i||=!dt(u)||u!==this._$AH[c],u===m?t=m:t!==m&&(t+=(u??"")+r[c+1]),this._$AH[c]=u}i&&!s&&this.j(t)}j(t){t===m?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},Mt=class extends ye{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===m?void 0:t}},_t=class extends ye{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==m)}},Ot=class extends ye{constructor(t,n,o,s,r){super(t,n,o,s,r),this.type=5}_$AI(t,n=this){if((t=we(this,t,n,0)??m)===pt)return;let o=this._$AH,s=t===m&&o!==m||t.capture!==o.capture||t.once!==o.once||t.passive!==o.passive,r=t!==m&&(o===m||s);s&&this.element.removeEventListener(this.name,this,o),r&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},Ct=class{constructor(t,n,o){this.element=t,this.type=6,this._$AN=void 0,this._$AM=n,this.options=o}get _$AU(){return this._$AM._$AU}_$AI(t){we(this,t)}},Io={M:Sn,P:ne,A:An,C:1,L:Lo,R:Pt,D:Oo,V:we,I:Oe,H:ye,N:_t,U:Ot,B:Mt,F:Ct},Si=Tn.litHtmlPolyfillSupport;Si?.(ht,Oe),(Tn.litHtmlVersions??=[]).push("3.3.1");var No=(e,t,n)=>{let o=n?.renderBefore??t,s=o._$litPart$;if(s===void 0){let r=n?.renderBefore??null;o._$litPart$=s=new Oe(t.insertBefore(ut(),r),r,void 0,n??{})}return s._$AI(e),s};var Mn=()=>({server:{models:[],storedPage:null},request:{modelName:"",text:"",isHtml:!1,beamSize:5,temperature:0,seed:0,maxTokens:50,translatesWhileTyping:!0},tokenCounts:{total:null,longestSentence:0,sentenceLimit:0,truncatedSentences:0},output:{sourceText:"",sentences:[],html:"",compared:null,isExample:!1,attribution:null},view:{sentenceIndex:0,outputPosition:0,inputPosition:null,keyPosition:null,head:"",rowShare:.9,groupsWords:!1,hidesOtherRows:!1,showsComputation:!1,isPlaying:!1,tourStop:null,hoveredToken:null},inspection:{result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,snapshot:null},heads:{disabled:[],undoStack:[],sortBy:"place",importance:null,importanceByToken:{},ablation:null,ablatedSentence:null},search:{trace:null,candidate:null},status:{busy:{},error:"",needsApiKey:!1,notice:""}}),a=Mn(),_n={output:{compared:null,attribution:null},inspection:{result:null,sentence:null,flow:null,lookup:null,writes:null,stream:null,snapshot:null},heads:{ablation:null,ablatedSentence:null,importance:null},search:{trace:null,candidate:null},view:{hoveredToken:null}},Ht=[{output:{sentences:[],sourceText:"",html:""}},_n],Wo=[],Pn=!1;function On(e){Wo.push(e)}function $e(e){for(let[t,n]of Object.entries(e))Object.assign(a[t],n)}function g(...e){e.forEach($e),!Pn&&(Pn=!0,requestAnimationFrame(()=>{Pn=!1;for(let t of Wo)t()}))}var O="flow.",ee="mean.",le=["rollout","gradient","integrated-gradients"],Ce=e=>e.direction??e.name??"",T=()=>a.server.models.find(e=>Ce(e)===a.request.modelName),x=()=>a.output.sentences[a.view.sentenceIndex],k=()=>!a.server.storedPage&&T()?.direction!==void 0,xe=()=>k()||!a.server.storedPage&&T()?.arch==="decoder";function X(){let e=T();return!a.server.storedPage&&a.inspection.snapshot===null&&e!==void 0&&e.arch!=="rnn"}var D=()=>a.output.sourceText!==""&&a.output.sourceText!==a.request.text,L=()=>a.inspection.result!==null&&a.inspection.sentence!==(x()??null),j=()=>L()||D();function ve(e=a.inspection.sentence){let t=(e?.tokens??[]).map(o=>o.token);if(!k())return t.slice(1);let n=a.inspection.result?.tokens.cross?.rows.spelled??[];return[...t,n.length>t.length?n.at(-1):"</s>"]}var Cn=e=>e!=="encoder"||a.inspection.result?.target===null;var P=e=>e.split(".").slice(0,2).join("."),Hn=()=>a.inspection.result?[...a.inspection.result.weights.keys()]:[],Do=(e,t)=>e[(t+e.length)%e.length];function He(e){let t=Hn(),n=Do(t,t.indexOf(a.view.head)+e);n&&g({view:{head:n}})}function Le(e){let t=[...new Set(Hn().map(P))],n=Do(t,t.indexOf(P(a.view.head))+e),o=Hn().find(s=>P(s)===n);o&&g({view:{head:o}})}function Lt(){let e=a.inspection.result?.alignment;if(!e)return;let t=e.split(".").length===3;return{head:t?e:`${ee}${e}`,isOfModel:t}}function oe(){let e=Lt();if(e?.isOfModel)return e.head;let t=a.inspection.result?.heads??[],n=t.filter(i=>i.head.startsWith("cross.")),o=n.length?n:t,s=o.filter(i=>i.label!=="sink"),[r]=[...s.length?s:o].sort((i,l)=>l.confidence-i.confidence);return r?.head??"mean"}var Ai={"previous token":"mostly the token before","next token":"mostly the next token",diagonal:"mostly in step, from first to last","same token":"mostly the same token",induction:"mostly what came next the last time",sink:"mostly one symbol",alignment:"mostly the words that it translates",positional:"mostly at one distance"};function It(e){let[t,n]=e.split(".");return`${a.inspection.result?.target!=null&&t==="encoder"?"Encoder layer":"Layer"} ${n}`}var Ln=e=>`${It(P(e))}, head ${e.split(".")[2]} (${e})`;function Nt(e){let n=e.startsWith("decoder.")&&a.inspection.result?.target!=null?"what is written":"the text",o=Ai[a.inspection.result?.heads.find(s=>s.head===e)?.label??""];return`${Ln(e)}: reads ${n}${o?`, ${o}`:""}`}var Ie=5;function V(){let e=T();return e?e.direction?{source:e.source,target:e.target}:{model:e.name}:{}}var Ne=()=>a.request.temperature?{method:"sample",temperature:a.request.temperature,seed:a.request.seed}:{beam_size:a.request.beamSize},We=e=>k()?{...V(),text:e.source,target_ids:e.ids}:{model:T().name,text:e.text,...e.ids.length?{ids:e.ids}:{}},Wt=({decoding:e,prefix:t,index:n})=>({...e,...t?{prefix:t}:{},index:n});var U=class extends Error{constructor(n,o){super(o);this.status=n}},Dt=0,Ri=410,Bo="regard-key",Ei=255;async function Fo(){try{return(await fetch("health")).ok}catch{return!1}}var qo=e=>sessionStorage.setItem(Bo,e);function Pi(e){let t=sessionStorage.getItem(Bo);return{...t?{Authorization:`Bearer ${t}`}:{},...e===void 0?{}:{"Content-Type":"application/json"}}}async function In(e,t,n){let o={method:t===void 0?"GET":"POST",headers:Pi(t),signal:n??null,body:t===void 0?null:JSON.stringify(t)},s;try{s=await fetch(e.startsWith("v1/")?e:`api/v1/${e}`,o)}catch(r){throw n?.aborted?r:new U(Dt,"The server does not answer. Is it still running?")}if(!s.ok){let r=await s.json().catch(()=>({}));throw new U(s.status,r.error?.message??`The server answered ${s.status}.`)}return s}async function M(e,t,n){return await(await In(e,t,n)).json()}async function*jo(e,t){let o=(await In("stream",e,t)).body.pipeThrough(new TextDecoderStream).getReader(),s="";for(;;){let{value:r,done:i}=await o.read().catch(c=>{throw t.aborted?c:new U(Dt,"The server went away while it was answering. Is it still running?")});if(i)return;let l=(s+r).split(`

`);s=l.pop()??"";for(let c of l){let[u,p]=c.split(`
`);yield{name:u.slice(7),data:JSON.parse(p.slice(6))}}}}async function Bt(e,t,n){try{return await M(`inspect/${e.id}/${t}`,void 0,n)}catch(o){if(!(o instanceof U)||o.status!==Ri)throw o;return e.id=(await M("inspect",e.request,n)).id,await M(`inspect/${e.id}/${t}`,void 0,n)}}async function Mi(e,t,n){let o=await In(`inspect/${e}/attention/${t}`,void 0,n),{headers:s}=o,r=new Uint8Array(await o.arrayBuffer()),[,i,l]=s.get("X-Shape").split(",").map(Number),c=Number(s.get("X-Scale"));return s.get("X-Heads").split(",").map((p,h)=>{let f=r.subarray(h*i*l,(h+1)*i*l);return[p,{rows:i,keys:l,values:f,scale:c,forbidden:Ei}]})}async function De(e,t){let n=await M("inspect",{...e,lens:!0},t),o=Object.keys(n.tokens),s=await Promise.all(o.map(r=>Mi(n.id,r,t)));return{...n,request:e,weights:new Map(s.flat())}}var _i=403,Oi=2e3,Ci=4e3,ke=new Map;async function R(e,t,n){ke.get(e)?.abort();let o=new AbortController;ke.set(e,o),e==="translate"&&Li(),t&&g({status:{busy:{...a.status.busy,[e]:t},error:""}});try{return await n(o.signal),!o.signal.aborted}catch(s){return o.signal.aborted||Hi(s),!1}finally{ke.get(e)===o&&Vo(e)}}function Ft(e,t){g({status:{busy:{...a.status.busy,[e]:t}}})}function Hi(e){let t=e instanceof U?e.status:void 0,n=e instanceof Error?e.message:String(e);g({status:{error:n,needsApiKey:t===_i}}),t===Dt&&Ko()}function Li(){let e=document.querySelector(".translate, .named");e&&!e.style.minHeight&&(e.style.minHeight=`${e.offsetHeight}px`)}function Ii(){let e=document.querySelector(".translate, .named");e&&(e.style.minHeight="")}function Vo(e){ke.delete(e),e==="translate"&&Be(()=>{ke.has(e)||Ii()}),g({status:{busy:Object.fromEntries(Object.entries(a.status.busy).filter(([t])=>t!==e))}})}function Be(e){requestAnimationFrame(()=>requestAnimationFrame(e))}var Nn=0,Uo=()=>Promise.resolve();function Go(e){Uo=e}function Ko(){clearTimeout(Nn),Nn=window.setTimeout(()=>{Fo().then(e=>{e?Wn():a.status.error&&Ko()})},Oi)}async function Wn(){clearTimeout(Nn),g({status:{error:"",needsApiKey:!1}}),await Uo()}function zo(e){g({status:{notice:e}}),setTimeout(()=>{a.status.notice===e&&g({status:{notice:""}})},Ci)}var mt=e=>ke.has(e);function Te(e){ke.get(e)?.abort(),Vo(e)}var Ni=50;async function Fe(e){let{disabled:t}=a.heads,n=e.every(o=>t.includes(o));await se(n?t.filter(o=>!e.includes(o)):[...new Set([...t,...e])])}async function se(e){let{undoStack:t,disabled:n}=a.heads;g({heads:{disabled:e,undoStack:[...t,n].slice(-Ni)}}),await J()}async function Xo(){let{undoStack:e}=a.heads;g({heads:{disabled:e.at(-1)??[],undoStack:e.slice(0,-1)}}),await J()}async function J(){let{sentence:e}=a.inspection;if(!a.heads.disabled.length)return Te("ablate"),g({heads:{ablation:null,ablatedSentence:null}});!e?.isDone||!X()||L()||await R("ablate","Running without heads",async t=>{let n=k()?Wt(e):{prompt:e.source,...e.decoding},o={...We(e),heads:a.heads.disabled,together:!0,...n},{ablations:s=[],predicted:r}=await M("ablate",o,t),[i]=s;g({heads:{ablation:i?{...i,predicted:r}:null,ablatedSentence:e}})})}async function qe(){let{result:e,sentence:t}=a.inspection;if(!t?.isDone||!e||L())return;let n=[...e.weights.keys()],o=[...new Set(n.map(P))];await R("rank","Taking each head away",async s=>{let r={},i={};for(let[l,c]of o.entries()){let u=n.filter(h=>P(h)===c),p=await M("ablate",{...We(t),sweep:!0,heads:u},s);if(a.inspection.result!==e)return;r={...r,...p.worth},i={...i,...p.by_token},g({heads:{importance:r,importanceByToken:i}}),Ft("rank",`Taking each head away: ${l+1} of ${o.length} layers`)}g({heads:{sortBy:"worth"}})}),a.status.error&&a.inspection.result===e&&g({heads:{importance:null,importanceByToken:{}}})}var Vt=null,Y=()=>Vt;function Ve(){Vt=null}var Wi=()=>({edits:a.output.sentences.flatMap(({edit:e},t)=>e?[{sentenceIndex:t,edit:e}]:[]),snapshot:a.inspection.snapshot,compared:a.output.compared,tracesSearch:a.search.trace!==null&&a.search.trace.source===x()?.source,ranksHeads:a.heads.importance!==null}),Di=16,Bi=1e3,Fi=5,qi=1e9,qt=e=>e==="true",je=(e,t,n=!0)=>o=>{let s=Number(o);return o.trim()!==""&&s>=e&&s<=t&&(!n||Number.isInteger(s))?s:void 0},jt=je(0,qi),Jo=e=>/^(encoder|decoder|cross)\.\d{1,9}\.\d{1,9}$/.test(e),ji=e=>e==="mean"||/^mean\.[a-z]+\.\d{1,9}$/.test(e),Vi=e=>le.some(t=>e===`${O}${t}`),Ui=e=>Jo(e)||ji(e)||Vi(e)?e:void 0,Gi=e=>e.split(",").filter(Jo),C=(e,t,n)=>({group:e,field:t,parse:n}),Fn={direction:C("request","modelName",String),text:C("request","text",String),beam:C("request","beamSize",je(1,Di)),temperature:C("request","temperature",je(0,Fi,!1)),seed:C("request","seed",je(0,Number.MAX_SAFE_INTEGER)),length:C("request","maxTokens",je(1,Bi)),at:C("view","sentenceIndex",jt),step:C("view","outputPosition",jt),source:C("view","inputPosition",jt),key:C("view","keyPosition",jt),head:C("view","head",Ui),share:C("view","rowShare",je(.1,1,!1)),words:C("view","groupsWords",qt),alone:C("view","hidesOtherRows",qt),isExplained:C("view","showsComputation",qt),isHtml:C("request","isHtml",qt),sortBy:C("heads","sortBy",String),off:C("heads","disabled",Gi)},Ki=["direction","text","beam","temperature","seed","length","at","off","isHtml"],qn=(e,{group:t,field:n})=>e[t][n]??null,Yo=Mn(),Dn=!1;function N(){Dn=!0}function zi(e){let t=!a.request.translatesWhileTyping&&!a.status.busy.translate&&!a.status.error;return e==="text"&&D()&&t?a.output.sourceText:qn(a,Fn[e])}var Xi=({sentenceIndex:e,edit:t})=>t.kind==="prefix"?[e,t.position,t.prefix,t.token,[]]:[e,null,t.text,"",t.ids];function Ji(){let{edits:e,snapshot:t,compared:n,tracesSearch:o,ranksHeads:s}=Vt??Wi();return[["edits",e.length?JSON.stringify(e.map(Xi)):null],["compared",n&&JSON.stringify([n.text,n.ids])],["snapshot",t===null?null:String(t)],["searched",o?"true":null],["ranked",s?"true":null]].filter(i=>i[1]!==null)}var Yi=e=>e==="text"||e==="direction"||e==="head"&&a.view.head===oe();function Zo(){let{storedPage:e}=a.server,t=new URLSearchParams;for(let[s,r]of Object.entries(Fn)){let i=zi(s);e&&Ki.includes(s)||i===null||i===qn(Yo,r)||String(i)===""||t.set(s,String(i))}if(!e){for(let[r,i]of Ji())t.set(r,i);let s=[...a.request.text.trim().split(`
`)[0]].slice(0,60).join("");document.title=s?`${s} · Regard`:"Regard"}let o=`#${a.output.isExample&&[...t.keys()].every(Yi)?"":t}`;o===(location.hash||"#")||location.protocol==="about:"||(Dn?history.pushState(null,"",o):history.replaceState(null,"",o),Dn=!1)}var Bn=e=>Number.isSafeInteger(e)&&e>=0,Qo=e=>Array.isArray(e)?e.filter(Bn):[];function es(e){try{return JSON.parse(e??"null")}catch{return null}}function Zi(e){if(!Array.isArray(e))return[];let[t,n,o,s,r]=e;return!Bn(t)||typeof o!="string"?[]:n===null?[{sentenceIndex:t,edit:{kind:"translation",text:o,ids:Qo(r)}}]:Bn(n)?[{sentenceIndex:t,edit:{kind:"prefix",position:n,prefix:o,token:typeof s=="string"?s:""}}]:[]}function Qi(e){let t=es(e);return Array.isArray(t)?t.flatMap(Zi):[]}function ea(e){let t=es(e);return Array.isArray(t)&&typeof t[0]=="string"?{text:t[0],ids:Qo(t[1])}:e?{text:e,ids:[]}:null}function jn(){let e=new URLSearchParams(location.hash.slice(1)),t={};for(let[o,s]of Object.entries(Fn)){let r=e.get(o),i=r?s.parse(r):void 0;i===void 0&&o==="direction"||((t[s.group]??={})[s.field]=i??qn(Yo,s))}let n=Number(e.get("snapshot")??NaN);return Vt={edits:Qi(e.get("edits")),snapshot:n>=0?n:null,compared:ea(e.get("compared")),tracesSearch:e.has("searched"),ranksHeads:e.has("ranked")},t}var Ut=()=>$e(jn());var Vn=new Map,ts=()=>Vn.clear();function G(e){let t=Vn.get(e);if(t)return t;let n=getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim(),o=[1,3,5].map(s=>parseInt(n.slice(s,s+2),16));return Vn.set(e,o),o}var ce=(e,t)=>`rgba(${G(e).join(", ")}, ${t.toFixed(3)})`,Z=e=>getComputedStyle(document.documentElement).getPropertyValue(`--${e}`).trim();var ta=/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u,na=new RegExp(String.raw`\s+|${ta.source}|[\p{L}\p{M}\p{N}]+|.`,"gu"),oa=4e6,Se=e=>[...e.matchAll(na)].map(({0:t,index:n})=>({text:t,begin:n}));function Gt(e,t){let n=p=>p.map(h=>h.text).filter(h=>h.trim()),o=n(e),s=n(t),r=Math.min(o.length,s.length),i=0,l=0;for(;i<r&&o[i]===s[i];)i++;for(;l<r-i&&o.at(-1-l)===s.at(-1-l);)l++;let c=sa(o.slice(i,o.length-l),s.slice(i,s.length-l)),u=(p,h,f)=>{let b=new Set(c.map(y=>y[h]+i)),w=-1;return p.map(y=>y.text.trim()!==""&&++w>=i&&w<f-l&&!b.has(w))};return[u(e,0,o.length),u(t,1,s.length)]}function sa(e,t){let n=[],o=t.length+1;if(e.length*t.length>oa)return n;let s=new Uint32Array((e.length+1)*o),r=(i,l)=>s[i*o+l];for(let i=e.length-1;i>=0;i--)for(let l=t.length-1;l>=0;l--){let c=e[i]===t[l];s[i*o+l]=c?r(i+1,l+1)+1:Math.max(r(i+1,l),r(i,l+1))}for(let i=0,l=0;i<e.length&&l<t.length;)e[i]===t[l]?n.push([i++,l++]):r(i+1,l)>=r(i,l+1)?i++:l++;return n}function ns(e,t){let n=[Se(e),Se(t)],o=Gt(...n),s=r=>n[r].filter((i,l)=>o[r][l]).map(i=>i.text);return[s(0),s(1)]}var Ue=e=>JSON.stringify([a.request.modelName,e.source,a.request.beamSize,e.prefix]);async function ue(){let e=x();e?.isDone&&await R("search","Searching",async t=>{let n=Ue(e),o={...V(),text:e.source,beam_size:a.request.beamSize,trace:!0,split:!1,...e.prefix?{prefix:e.prefix}:{}},s=await M("translate",o,t),r=x();r&&Ue(r)===n&&g({search:{trace:{...s,requestKey:n,source:e.source},candidate:null}})})}function ra(e,{weights:t}){return e==="mean"||t.has(e)||le.some(n=>e===`${O}${n}`)?!0:[...t.keys()].some(n=>e===`${ee}${P(n)}`)}function ft(e,t,n=null){let{head:o,outputPosition:s}=a.view,r=a.heads.disabled.filter(i=>e.weights.has(i));$e({inspection:{result:e}}),g({inspection:{result:e,sentence:t,snapshot:n},heads:{disabled:r,importance:null,importanceByToken:{}},view:{head:ra(o,e)?o:oe(),outputPosition:Math.max(0,Math.min(s,t.tokens.length-1))}},r.length?{}:{heads:{ablation:null,ablatedSentence:null}}),a.view.head.startsWith(O)&&Q(a.view.head)}async function W(){let e=x();if(!e?.isDone||!e.text||!k()||(await R("inspect","Looking inside",async n=>{ft(await De(We(e),n),e)}),L()))return;a.heads.disabled.length&&await J();let{trace:t}=a.search;t?.source===e.source&&t.requestKey!==Ue(e)&&await ue()}async function Kt(e){let t=x();!t?.isDone||!t.text||(g({inspection:{snapshot:e}}),await R("inspect","Loading a snapshot",async n=>{let o={...We(t),snapshot:e,...Wt(t)};ft(await De(o,n),t,e)}))}async function Q(e){let t=a.inspection.result;if(!e.startsWith(O)||!t)return g({view:{head:e},inspection:{flow:null}});await R("flow","Following the layers",async n=>{let o=await Bt(t,`flow/${e.slice(O.length)}`,n);a.inspection.result===t&&g({view:{head:e},inspection:{flow:{...o,inspection:t}}})})}var os="";function is(e){let{result:t,lookup:n}=a.inspection,{head:o,showsComputation:s}=a.view;if(!t?.weights.has(o)||!s||L())return;let r=Un(e),i=os===r&&(mt("lookup")||a.status.error!=="");n?.cell===r||i||(os=r,R("lookup","",async l=>{let c=await Bt(t,`lookup/${o}/${e.row}/${e.key}`,l);g({inspection:{lookup:{result:c,view:e,cell:r}}})}))}var gt=()=>T()?.no_parts??"",ss={writes:"",stream:""};function as(e,t,n,o){let{result:s}=a.inspection;if(!s||L()||gt())return;let r=ss[e]===t&&(mt(e)||a.status.error!=="");a.inspection[e]?.cell===t||r||(ss[e]=t,R(e,"",async i=>{o(await Bt(s,n,i))}))}function ls(e){let{head:t}=a.view;if(!a.inspection.result?.weights.has(t))return;let n=Ae(e.row,t);as("writes",n,`writes/${t}/${e.row}`,o=>{g({inspection:{writes:{result:o,view:e,cell:n}}})})}function cs(e){let t=Ae(e);as("stream",t,`stream/${e}`,n=>{g({inspection:{stream:{result:n,cell:t}}})})}var ia=0,rs=new WeakMap;function Ae(e,t=""){let n=a.inspection.result,o=rs.get(n)??++ia;return rs.set(n,o),`${o}/${t}/${e}`}var Un=({row:e,key:t})=>`${Ae(e,a.view.head)}/${t}`;async function us(){await R("models","",async e=>{let{models:t}=await M("models",void 0,e),[n]=t;if(!n)throw new Error("The server has no model.");let o=t.some(s=>Ce(s)===a.request.modelName);g({server:{models:t},request:{modelName:o?a.request.modelName:Ce(n)},status:{error:"",needsApiKey:!1}})})}async function Ge(){await R("count","",async e=>{if(!a.request.text.trim()||!k())return g({tokenCounts:{total:null}});let t={...V(),text:a.request.text},n=await M("tokenize",t,e),o=n.sentences.map(s=>s.tokens.length);g({tokenCounts:{total:o.reduce((s,r)=>s+r,0),longestSentence:Math.max(0,...o),sentenceLimit:n.max_tokens,truncatedSentences:n.num_cut}})})}var Ke=()=>({source:"",text:"",tokens:[],ids:[],score:0,nBest:[],decoding:{},index:0,prefix:"",original:null,edit:null,isDone:!1});function Gn(e,t){e.tokens=t.tokens.map((n,o)=>({token:n,log_prob:t.token_log_probs[o],alternatives:t.alternatives?.[o]??e.tokens[o]?.alternatives??[]}))}var K=e=>e.join("").replaceAll("▁"," ").trimStart(),zt=(e,t)=>e.text===t.text&&String(e.ids)===String(t.ids),ze=e=>/^<[^<>]+>$/.test(e);function Re(e,t,n="inserted"){let o=Se(e),[s]=Gt(o,Se(t)),r=i=>n==="deleted"?d`<del>${i}</del>`:d`<mark>${i}</mark>`;return d`${o.map((i,l)=>s[l]?r(i.text):i.text)}`}var ds=e=>ze(e)?`
`:e.replaceAll("▁"," ");function Kn({tokens:e,original:t}){if(!t)return e.map(()=>!1);let n=e.map(i=>ds(i.token)),o=Se(n.join("")),[s]=Gt(o,Se(t.tokens.map(i=>ds(i.token)).join(""))),r=0;return n.map(i=>{let l=r;r+=i.length;let c=u=>u.begin<r&&u.begin+u.text.length>l;return o.some((u,p)=>s[p]&&c(u))})}var $=e=>e.replace(/^▁/,"").replaceAll("▁","␣")||"␣",aa=/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u,de=e=>aa.test(/\p{Letter}/u.exec(e)?.[0]??"")?"rtl":"ltr",la=/[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Nko}\p{Script=Adlam}\p{Script=Mongolian}]/u,ca=[/[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb]/u,/[\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef]/u];function ps(e="",t=""){let n=/(.)\p{M}*$/u.exec(e)?.[1]??"",o=/^./u.exec(t)?.[0]??"",s=r=>la.test(r)&&/\p{L}/u.test(r);return s(n)&&s(o)&&!ca.some(r=>r.test(n))&&o!=="ء"}function Xe(e,t){let n=ps(e[t-1],e[t])?["joins-before"]:[],o=ps(e[t],e[t+1])?["joins-after"]:[];return[...n,...o].join(" ")}var re=(e,t,n)=>e.values[t*e.keys+n]===e.forbidden;function pe(e,t,n){let o=e.values[t*e.keys+n];return o===e.forbidden?0:o/e.scale}var Je=(e,t)=>Array.from({length:e.keys},(n,o)=>pe(e,t,o));function Xt(e,t){let n=e.map((i,l)=>l).sort((i,l)=>e[l]-e[i]),o=new Set,s=e.reduce((i,l)=>i+l,0),r=0;for(let i of n){if(e[i]===0||r>=t*s&&t<1)break;o.add(i),r+=e[i]}return o}var zn=(e,t)=>({rows:e,keys:t,values:new Float32Array(e*t),scale:1,forbidden:-1});function hs(e){let t=zn(e.length,e[0]?.length??0);return t.values.set(e.flat().map(n=>n??t.forbidden)),t}function ms(e){let[t]=e,n=zn(t.rows,t.keys);for(let{values:o,scale:s,forbidden:r}of e)for(let i=0;i<o.length;i++)n.values[i]+=o[i]===r?0:o[i]/s/e.length;for(let o=0;o<t.values.length;o++)t.values[o]===t.forbidden&&(n.values[o]=n.forbidden);return n}function fs(e){let t=[];return e.words.forEach((n,o)=>{n!==null&&o>0&&e.words[o-1]===n?t.at(-1).push(o):t.push([o])}),t}function gs(e,t,n){let o=zn(t.length,n.length);return t.forEach((s,r)=>{n.forEach((i,l)=>{let c=s.every(h=>i.every(f=>re(e,h,f))),u=h=>i.reduce((f,b)=>f+pe(e,h,b),0),p=s.reduce((h,f)=>h+u(f),0);o.values[r*n.length+l]=c?o.forbidden:p/s.length})}),o}var ks=new WeakMap,Ts=e=>ks.get(e);function Ss(e){let t=new OffscreenCanvas(e.width,e.height);return t.getContext("2d").putImageData(e,0,0),ks.set(t,e),t}var bs=new WeakMap;function As(e,t){let n=bs.get(e)??new Map,o=[t,...G("paper"),...G("heat")].join(" "),s=n.get(o)??ua(e,t);return bs.set(e,n.set(o,s)),s}function Xn(e,t,n,o,s){for(let r=0;r<3;r++)e.data[4*t+r]=n[r]+s*(o[r]-n[r]);e.data[4*t+3]=255}function ua(e,t){let n=Math.min(e.rows,t),o=Math.min(e.keys,t),s=new Float32Array(o*n).fill(-1);for(let u=0;u<e.rows;u++)for(let p=0;p<e.keys;p++){if(re(e,u,p))continue;let h=Math.floor(u*n/e.rows)*o+Math.floor(p*o/e.keys);s[h]=Math.max(s[h],pe(e,u,p))}let r=new ImageData(o,n),[i,l,c]=[G("paper"),G("heat"),G("forbidden")];return s.forEach((u,p)=>{u<0?Xn(r,p,c,c,1):Xn(r,p,i,l,u)}),Ss(r)}var Jn=new WeakMap,Rs=e=>Jn.get(e);function Es(e,t){Jn.set(e,{image:t,left:0,top:0,width:0,height:0,isMirrored:!1,labels:[],frames:[]}),e.width=t.width,e.height=t.height,e.getContext("2d").drawImage(t,0,0)}function Ps(e,t,n){Es(e,As(t,n))}function Ms(e,t,n){let o=new ImageData(n,t.length),s=Math.max(...t.flat().map(Math.abs),1e-9);t.forEach((r,i)=>{r.forEach((l,c)=>{let u=G(l<0?"less":"more");Xn(o,i*n+c,G("paper"),u,Math.abs(l)/s)})}),Es(e,Ss(o))}var da=14,pa=120,ws=10,ys=44,ha=60,ma=800,fa=640,ga=1.2,$s=6,Jt="13px system-ui, sans-serif";function xs(e,t,n){let o=s=>e.measureText(s).width;return t.map(s=>{let r=[...$(s)];if(o(r.join(""))<=n)return r.join("");for(;r.length>1&&o(`${r.join("")}…`)>n;)r.pop();return`${r.join("")}…`})}function vs(e,t,n){let o=Math.max(Math.ceil(da/t),1);return Array.from({length:e},(s,r)=>r).filter(s=>s===n||s%o===0&&Math.abs(s-n)>=o)}function ba(e,t,n){let{weights:o,rows:s,keys:r,chosen:i,isMirrored:l}=t;e.font=Jt;let c=Math.min(pa,n*.25),u=xs(e,s,c),p=xs(e,r,c),h=I=>Math.max(...I.map(ki=>e.measureText(ki).width)),f=h(u)+ws,b=h(p)+ws,w=n>ma?ha:ys,y=Math.max(fa*w/ys/s.length,2*$s),S=Math.max(ga,Math.min(w,(n-f-2)/r.length,y)),E=S>=$s?Math.floor(S):S,F=E*r.length,me=E*s.length,Rt=I=>f+E*(l?r.length-1-I:I),vn={rows:vs(s.length,E,i.row),keys:vs(r.length,E,i.key)},To=I=>Z(I?"accent":"ink"),xi=[...vn.rows.map(I=>({text:u[I],x:f-6,y:b+E*(I+.5),isVertical:!1,fill:To(I===i.row)})),...vn.keys.map(I=>({text:p[I],x:Rt(I)+.5*E,y:b-6,isVertical:!0,fill:To(I===i.key)}))],So={stroke:Z("accent"),thickness:1.5},vi=[{x:f-.5,y:b-.5,width:F+1,height:me+1,stroke:Z("line"),thickness:1},{x:f,y:b+E*i.row,width:F,height:E,...So},{x:Rt(i.key),y:b,width:E,height:me,...So}];return{plan:{image:As(o,1/0),left:f,top:b,width:F,height:me,isMirrored:l,labels:xi,frames:vi},layout:{left:f,top:b,size:E,...vn}}}function _s(e,t,n){let o=e.getContext("2d"),{plan:s,layout:r}=ba(o,t,n),{image:i,left:l,top:c,width:u,height:p,isMirrored:h,labels:f,frames:b}=s;Jn.set(e,s);let w=window.devicePixelRatio||1;e.width=Math.round((l+u+2)*w),e.height=Math.round((c+p+2)*w),e.style.width=`${l+u+2}px`,e.style.height=`${c+p+2}px`,o.scale(w,w),o.imageSmoothingEnabled=!1,o.save(),h&&o.transform(-1,0,0,1,2*l+u,0),o.drawImage(i,l,c,u,p),o.restore();for(let y of f)Yn(o,y);for(let y of b)o.strokeStyle=y.stroke,o.lineWidth=y.thickness,o.strokeRect(y.x,y.y,y.width,y.height);return r}function Yn(e,{text:t,x:n,y:o,isVertical:s,fill:r}){e.save(),e.translate(n,o),s&&e.rotate(-Math.PI/2),e.font=Jt,e.textAlign=s?"left":"right",e.textBaseline="middle",e.fillStyle=r,e.fillText(`⁨${t}⁩`,0,0),e.restore()}var bt=12,wa="select, input, textarea, .unseen, .explanation, .save, .peek, [data-unsaved]",ya=e=>e==="transparent"||e==="rgba(0, 0, 0, 0)";function*$a(e,t,n){let o=document.createRange(),s=e.parentElement,r=s instanceof SVGGraphicsElement?s.getScreenCTM().a:1;for(let{0:i,index:l}of e.data.matchAll(/\S+/gu)){o.setStart(e,l),o.setEnd(e,l+i.length);let{x:c,y:u,width:p,height:h}=o.getBoundingClientRect(),f=`${t.fontStyle} ${t.fontWeight} ${r*parseFloat(t.fontSize)}px ${t.fontFamily}`;p&&(yield{kind:"text",x:c,y:u,width:p,height:h,text:i,fill:n,font:f,direction:t.direction})}}function*xa(e,{x:t,y:n,width:o,height:s},r){let i=Rs(e);if(!i||!o)return;let{image:l,isMirrored:c}=i,u=i.width?{x:t+i.left,y:n+i.top,width:i.width,height:i.height}:{x:t,y:n,width:o,height:s};yield{kind:"cells",image:l,isMirrored:c,opacity:r,...u};for(let p of i.frames)yield{kind:"frame",radius:0,...p,x:t+p.x,y:n+p.y};for(let p of i.labels)yield{kind:"label",...p,x:t+p.x,y:n+p.y,width:0,height:0}}function*va(e,t,n){let{x:o,y:s,width:r,height:i}=n,l=parseFloat(t.borderRadius)||0,c=(p,h=2)=>({kind:"frame",stroke:p,thickness:h,radius:l,...n}),u=(p,h,f=2)=>({kind:"line",...n,path:p,origin:[o,s],scale:[1,1],fill:"none",stroke:h,thickness:f,opacity:1,dashes:""});e.matches(".cell")&&(yield c(t.borderTopColor,e.getAttribute("aria-pressed")==="true"?4:1.5)),e.matches(".cell.off")&&(yield u(`M 0 0 L ${r} ${i}`,Z("less"))),e.matches("del")&&(yield u(`M 0 ${i/2} L ${r} ${i/2}`,Z("bad"),1)),e.matches('.token[aria-pressed="true"], .part.here')&&(yield c(Z("accent"))),e.matches(".token.prefix-end")&&(yield c(Z("more"))),e.matches(".token.new, u.new")&&(yield u(`M 2 ${i-1} L ${r-2} ${i-1}`,Z("more")))}function ka(e,t,{x:n,y:o,width:s,height:r}){let{a:i,d:l,e:c,f:u}=e.getScreenCTM();return{kind:"line",x:n,y:o,width:s,height:r,path:e.getAttribute("d"),origin:[c,u],scale:[i,l],fill:t.fill,stroke:t.stroke,thickness:parseFloat(t.strokeWidth),opacity:Number(t.opacity),dashes:t.strokeDasharray==="none"?"":t.strokeDasharray.replaceAll("px","")}}function*Os(e){let{x:t,y:n,width:o,height:s}=e.getBoundingClientRect(),r={x:t,y:n,width:o,height:s},i=getComputedStyle(e);if(e.matches(wa)||i.visibility==="hidden")return;let l=e instanceof SVGElement,c=Number(i.opacity);if(e instanceof HTMLCanvasElement)yield*xa(e,r,c);else if(e instanceof SVGPathElement)yield ka(e,i,r);else if(e instanceof SVGRectElement)i.fill==="none"?yield{kind:"frame",...r,stroke:i.stroke,thickness:2,radius:4}:yield{kind:"box",...r,fill:i.fill,opacity:c,radius:0};else if(!l&&o&&!ya(i.backgroundColor)){let u=parseFloat(i.borderRadius)||0;yield{kind:"box",...r,fill:i.backgroundColor,opacity:1,radius:u}}for(let u of e.childNodes)u instanceof Text?yield*$a(u,i,l?i.fill:i.color):u instanceof Element&&u.tagName!=="title"&&(yield*Os(u));l||(yield*va(e,i,r))}function Yt(e){let{classList:t}=document.documentElement;t.add("saving");try{return Ta(e)}finally{t.remove("saving")}}function Ta(e){let t=[],n=bt,o=0;for(let s of e.flatMap(r=>[...document.querySelectorAll(r)])){let r=s.getBoundingClientRect(),i=r.x-s.scrollLeft,l=r.y-s.scrollTop,c=n;for(let u of Os(s)){let p=u.x-i+bt,h=u.y-l+n;t.push(u.kind==="line"?{...u,x:p,y:h,origin:[u.origin[0]-i+bt,u.origin[1]-l+n]}:{...u,x:p,y:h}),o=Math.max(o,p+u.width),c=Math.max(c,h+u.height)}n=c+bt}return{shapes:t,width:Math.ceil(o+bt),height:Math.ceil(n),paper:Z("paper")}}var Zt=2;function Sa(e,t){let{x:n,y:o,width:s,height:r}=t;if(e.save(),t.kind==="box")e.globalAlpha=t.opacity,e.fillStyle=t.fill,e.beginPath(),e.roundRect(n,o,s,r,Math.min(t.radius,r/2)),e.fill();else if(t.kind==="frame")e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.beginPath(),e.roundRect(n,o,s,r,t.radius),e.stroke();else if(t.kind==="cells")e.imageSmoothingEnabled=!1,e.globalAlpha=t.opacity,t.isMirrored&&e.transform(-1,0,0,1,2*n+s,0),e.drawImage(t.image,n,o,s,r);else if(t.kind==="label")Yn(e,t);else if(t.kind==="line"){e.globalAlpha=t.opacity,e.translate(...t.origin),e.scale(...t.scale),e.fillStyle=t.fill,e.strokeStyle=t.stroke,e.lineWidth=t.thickness,e.setLineDash(t.dashes?t.dashes.split(/[ ,]+/).map(Number):[]);let i=new Path2D(t.path);t.fill!=="none"&&e.fill(i),t.stroke!=="none"&&e.stroke(i)}else e.font=t.font,e.fillStyle=t.fill,e.textAlign="center",e.textBaseline="middle",e.direction=t.direction==="rtl"?"rtl":"ltr",e.fillText(t.text,n+s/2,o+r/2);e.restore()}function Cs(e){let{shapes:t,width:n,height:o,paper:s}=Yt(e),r=document.createElement("canvas"),i=r.getContext("2d");r.width=Zt*n,r.height=Zt*o,i.scale(Zt,Zt),i.fillStyle=s,i.fillRect(0,0,n,o);for(let l of t)Sa(i,l);return r}var Aa=3e5,Zn=e=>e.replaceAll("&","&amp;").replaceAll("<","&lt;").replaceAll(">","&gt;").replaceAll('"',"&quot;");function te(e,t,n=""){let o=Object.entries(t).map(([s,r])=>{let i=typeof r=="number"?String(Math.round(100*r)/100):Zn(r);return` ${s}="${i}"`});return n?`<${e}${o.join("")}>${n}</${e}>`:`<${e}${o.join("")}/>`}function Ra({image:e,isMirrored:t,opacity:n,...o}){let{data:s,width:r,height:i}=Ts(e),l=new Map,c=o.width/r,u=o.height/i,p=(f,b)=>{let w=f*r+(t?r-1-b:b);return[0,1,2].map(y=>s[4*w+y].toString(16).padStart(2,"0")).join("")};for(let f=0;f<i;f++)for(let b=0,w;b<r;b=w){let y=p(f,b);for(w=b+1;w<r&&p(f,w)===y;)w++;let S={x:o.x+b*c,y:o.y+f*u,width:(w-b)*c,height:u},E=l.get(y)??[];l.set(y,E),E.push(te("rect",S))}let h=[...l].map(([f,b])=>te("g",{fill:`#${f}`},b.join("")));return te("g",{class:"cells",opacity:String(n),"shape-rendering":"crispEdges"},h.join(""))}function Ea({image:e,isMirrored:t,opacity:n,x:o,y:s,width:r,height:i}){let l=document.createElement("canvas");return l.width=e.width,l.height=e.height,l.getContext("2d").drawImage(e,0,0),te("image",{x:o,y:s,width:r,height:i,...t?{transform:`matrix(-1 0 0 1 ${2*o+r} 0)`}:{},opacity:String(n),preserveAspectRatio:"none",style:"image-rendering:pixelated",href:l.toDataURL()})}function Pa(e){let{x:t,y:n,width:o,height:s}=e,r={x:t,y:n,width:o,height:s};switch(e.kind){case"box":{let i=Math.min(e.radius,s/2);return te("rect",{...r,rx:i,fill:e.fill,opacity:String(e.opacity)})}case"frame":{let{stroke:i,thickness:l,radius:c}=e;return te("rect",{...r,rx:c,fill:"none",stroke:i,"stroke-width":String(l)})}case"cells":return e.image.width*e.image.height>Aa?Ea(e):Ra(e);case"label":{let i={x:t,y:n,"text-anchor":e.isVertical?"start":"end","dominant-baseline":"central",...e.isVertical?{transform:`rotate(-90 ${t} ${n})`}:{},fill:e.fill,style:`font:${Jt}`};return te("text",i,`⁨${Zn(e.text)}⁩`)}case"line":return te("path",{d:e.path,transform:`translate(${e.origin.join(" ")}) scale(${e.scale.join(" ")})`,fill:e.fill,stroke:e.stroke,"stroke-width":String(e.thickness),opacity:String(e.opacity),...e.dashes?{"stroke-dasharray":e.dashes}:{}});case"text":{let i={x:t+o/2,y:n+s/2,"text-anchor":"middle","dominant-baseline":"central",direction:e.direction,fill:e.fill,style:`font:${e.font}`};return te("text",i,Zn(e.text))}}}function Hs(e){let{shapes:t,width:n,height:o,paper:s}=Yt(e),i=[`<rect width="${n}" height="${o}" fill="${s}"/>`,...t.map(Pa)].join(`
`),l={width:n,height:o,viewBox:`0 0 ${n} ${o}`};return`${te("svg",{xmlns:"http://www.w3.org/2000/svg",...l},`${i}
`)}
`}function Ls(e,t){let n=document.createElement("a");n.href=URL.createObjectURL(t),n.download=e,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),1e3)}var Ee=(e,t,n="text/plain")=>Ls(e,new Blob([t],{type:n}));function Ma(e){let t=n=>/[",\n\r]/.test(String(n))?`"${String(n).replaceAll('"','""')}"`:String(n??"");return e.map(n=>n.map(t).join(",")).join(`
`)+`
`}function Is(e){for(let t of document.querySelectorAll("details.save[open]"))(e instanceof KeyboardEvent?e.key!=="Escape":t.contains(e.target))||(e instanceof KeyboardEvent&&t.querySelector("summary").focus(),t.open=!1)}addEventListener("keydown",Is);addEventListener("pointerdown",Is);function _(e,t,n,o){let s={PNG:()=>Cs(t).toBlob(i=>{i&&Ls(`${e}.png`,i)}),SVG:()=>Ee(`${e}.svg`,Hs(t),"image/svg+xml"),CSV:()=>Ee(`${e}.csv`,Ma(n()),"text/csv"),JSON:()=>Ee(`${e}.json`,`${JSON.stringify(o(),null,2)}
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
  </details>`}var Ns={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},wt=e=>(...t)=>({_$litDirective$:e,values:t}),Ye=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,n,o){this._$Ct=t,this._$AM=n,this._$Ci=o}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var Qn=class extends Ye{current={};render(t){}update(t,[n]){let{style:o}=t.element;for(let[s,r]of Object.entries(n))this.current[s]!==r&&o.setProperty(s,r);for(let s of Object.keys(this.current))s in n||o.removeProperty(s);this.current=n}},A=wt(Qn);var _a={tokens:["Tokens","Models read and write tokens: words, or parts of words. ␣ is a space that stands alone, <s> begins a text, and </s> ends it."],beam:["Beam","How many beginnings of a translation are kept at each step. With 1, the likeliest token is taken each time."],sampling:["Sampling","Tokens are drawn by their probabilities. A temperature below 1 prefers likely tokens, one above 1 prefers them less. “Draw again” draws others."],probability:["Probability","How likely the model found a token, after the tokens before it. The stronger the colour of a token, the less likely it was."],best:["The best translations","What the search found, best first. The number is the score that ranks them: the logarithm of the probability, divided by a term for the length. A text that can be written with several sequences of tokens is listed once."],head:["Head","A head is one way of looking; each layer has several. cross.1.2 is its name in Python and in commands: head 2 of layer 1, both counted from 0, as everywhere on this page. Encoder: the text looks at itself. Decoder: the output looks at what is written. Cross: the output looks at the text. “Mean” is the mean of several heads."],alignment:["Alignment head","The head of cross-attention whose weights are most like a word alignment: high on one word, near the line from first to last. It is a guess: read the matrix."],share:["Share of a row","Only the largest weights are drawn, as many as make up this share of the row. Of the other rows, at most half is drawn."],words:["Words","The tokens of a word are taken together: weights are summed over the tokens that are looked at, and averaged over those that look."],weight:["Weight","How much a place looks at a token, from 0 to 1. The weights of a row sum to 1. A mask forbids some cells, which then have no weight: tokens that are not written yet, what is outside a window, and, in a batch of several texts, padding, which is no word. This page reads one text at a time, so it has no padding."],flow:["Through all layers","Three ways to follow the output back to the input. Rollout multiplies the weights of all layers. Gradient asks how a small change of an input changes the output. Integrated gradients add this up on the way from an empty input. None is the truth: each has its caveat beside the matrix."],label:["Label","A name for what a head does mostly: it looks at the previous token, the same token, the token after an earlier same one (induction), a symbol (a sink), along the alignment. Mixed: none of these for half of its weight."],entropy:["Spread, or entropy","How spread a row's weights are, in nats: 0 where one token has all the weight, 2.3 where ten tokens share it."],highest:["Highest weight","Of each row the largest weight, on average. The order “sharpness” begins with the highest."],offset:["Offset","How many places after its own a token looks, on average. Below 0: before."],worth:["Worth","How many nats of log-probability each token loses, on average, when this head is taken away. Below 0: the translation is likelier without it."],nats:["Nats","A log-probability is the natural logarithm of a probability. Minus 0.69 nats halves a probability; minus 2.3 nats make it a tenth."],value:["Value","A list of numbers that the head makes of a token, beside its key. The key says how well the token fits the query; the value is what it gives. Strips are as strong as the weight."],logit:["Logit","The output layer gives each token a number, its logit; softmax makes probabilities of them. The norm before it is held as it is. What later layers make of the head is not counted."],stream:["The state of a token","Each token has a list of numbers, its state. It begins as the embedding; each attention and each feed-forward layer reads it and adds a list of its own. The wider a stream is drawn, the longer its list: the square root of the sum of squares."],lookup:["Query, key, softmax","Query and key are lists of numbers. The head makes the query where a token is about to be written, of what was read up to there, and a key of each token that is looked at. Softmax turns scores into weights: e to the score, divided by the sum over the row."],search:["Score in the search","The sum of the log-probabilities so far, in nats. At each step the best beginnings go on; the others are dropped."],lens:["Logit lens","The output layer, which belongs after the last layer, is put after each layer: what would the model write if it stopped there?"],snapshot:["Snapshot","The model as it was after some steps of training. Training with training.keep_every keeps snapshots."],moved:["What moved it","Gradient times input: how strongly a small change of each token would change the prediction. It is a hint, not a proof."]},Qt=8;function Oa(e){let t=e.target,n=t.previousElementSibling.getBoundingClientRect(),o=Math.max(Qt,Math.min(n.left,innerWidth-t.offsetWidth-Qt)),r=n.bottom+t.offsetHeight+Qt<innerHeight?n.bottom+4:Math.max(Qt,n.top-t.offsetHeight-4);t.style.left=`${o}px`,t.style.top=`${r}px`}function v(e,t){let[n,o]=_a[e];return d`<span class="term"
    ><button type="button" class="help" popovertarget="term-${e}">${t}</button
    ><span id="term-${e}" class="explanation" popover @toggle=${Oa}
      ><b>${n}.</b> ${o}</span
    ></span
  >`}var Ca=24,Ha=.5,La=.1;function Ia(){let{ablations:e=[]}=a.inspection.result;if(!e.length)return m;let t=()=>[["heads","change","text"],...e.map(o=>[o.heads.join(" "),o.log_prob_change,o.text])],n=e.map(o=>d`<tr>
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
          <th>change, ${v("nats","nats")} per token</th>
          <th>what the model writes then</th>
        </tr>
      </thead>
      <tbody> ${n} </tbody>
    </table>
  </section>`}function Ws(e,t){let n=e.toFixed(t);return Number(n)===0?n.replace("-",""):`${e>0?"+":""}${n}`}function Ds(e,t,n){let o=Math.max(n?Ha:La,...t.map(Math.abs)),s=(r,i)=>{let l=$(e[i]??""),c={width:`${50*Math.abs(r)/o}%`,[r<0?"right":"left"]:"50%"};return d`<div class="change" role="listitem" aria-label="${l} ${r.toFixed(2)} ${n}">
      <bdi>${l}</bdi>
      <span class="track two"><span class=${r<0?"less":"more"} ${A(c)}></span></span>
      <span class="number">${Ws(r,2)}</span>
    </div>`};return d`<div class="changes" role="list" tabindex="0" aria-label="Change of each ${n?"token":"label"}">
    ${t.map(s)}
  </div>`}function Na({token_changes:e,log_prob_change:t,text:n}){let o=a.heads.ablatedSentence,s=e.reduce((c,u)=>c+u,0),r=k()?"translation":"text",i=o.prefix?"It begins with what you wrote, as the one above does.":"You chose the one above; this is the best that was found.",l=o.prefix!==""||o.edit?.kind==="translation";return d`<p> Written then: <bdi class="strong" id="written-then">${Re(n,o.text)}</bdi> </p>
    ${l?d`<p class="hint" id="same-prefix">${i}</p>`:m}
    <p>
      The log-probability of the ${r} above changes by
      <span class="strong number" id="sum">${Ws(s,3)}</span> ${v("nats","nats")},
      <span class="strong number" id="change">${t.toFixed(3)}</span> per token, each token after the right ones:
    </p>
    ${Ds(ve(o),e,"nats")}`}function Wa({predicted:e=[]}){let t=a.inspection.result.predicted??[],n=t.map(i=>i.label),o=new Map(e.map(({label:i,prob:l})=>[i,l])),s=new Set(n).size===n.length&&n.every(i=>o.has(i));if(!e.length||!s){let i=e.map(l=>l.label).join(" ");return d`<p>
      Said then: <bdi class="strong" id="written-then">${Re(i,n.join(" "))}</bdi>
    </p>`}let r=t.map(({label:i,prob:l})=>o.get(i)-l);return d`<p>
      Said then: <bdi class="strong" id="written-then">${e[0].label}</bdi>. The probability of each label
      changes by:
    </p>
    ${Ds(n,r,"")}`}function Da(){let{disabled:e}=a.heads;if(!e.length)return d`<p class="hint">
      Switch a head off: this shows how much less likely each token becomes, and what the model
      ${xe()?"writes":"says"} instead.
    </p>`;let t=n=>d`<button class="chip" title="Switch on" aria-label="Switch ${n} on" @click=${()=>void Fe([n])}
      >${n} ✕</button
    >`;return d`<p class="chips"
    >${e.length>Ca?`${e.length} heads are off.`:e.map(t)}</p
  >`}function Ba(e){let{predicted:t,token_changes:n}=e,o=ve(a.heads.ablatedSentence);return _("without",["#written-then",".without .changes"],()=>t?.length?[["label","probability"],...t.map(({label:r,prob:i})=>[r,i])]:[["token","change"],...n.map((r,i)=>[o[i]??"",r])],()=>e)}function Bs(){let{result:e,sentence:t}=a.inspection,{ablation:n,ablatedSentence:o,disabled:s,undoStack:r}=a.heads;if(!e||!t)return m;if(a.server.storedPage)return Ia();if(!X())return m;let i=j()||n!==null&&o!==t,l=p=>d`${xe()?Na(p):Wa(p)}
      <p class="legend">
        <span><i class="less"></i> less likely without the heads</span>
        <span><i class="more"></i> more likely</span>
      </p>
      <p class="hint">
        A model was not trained without them, so this is what they are worth here, not what another model could do.
      </p>`,c=d`<button id="all-on" @click=${()=>void se([])}>Switch all on</button>`,u=d`<button id="undo" @click=${()=>void Xo()}>Undo</button>`;return d`<section class="panel without ${i?"stale":""}" aria-labelledby="without-title">
    <div class="head">
      <h2 id="without-title">Without these heads</h2>
      ${s.length?c:m} ${r.length?u:m}
      ${n?Ba(n):m}
    </div>
    ${Da()} ${n?l(n):m}
  </section>`}var{I:cp}=Io;var Fs=e=>e.strings===void 0;var yt=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let o of n)o._$AO?.(t,!1),yt(o,t);return!0},en=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(e),e=t}while(n?.size===0)},qs=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),ja(t)}};function Fa(e){this._$AN!==void 0?(en(this),this._$AM=e,qs(this)):this._$AM=e}function qa(e,t=!1,n=0){let o=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(o))for(let r=n;r<o.length;r++)yt(o[r],!1),en(o[r]);else o!=null&&(yt(o,!1),en(o));else yt(this,e)}var ja=e=>{e.type==Ns.CHILD&&(e._$AP??=qa,e._$AQ??=Fa)},tn=class extends Ye{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,n,o){super._$AT(t,n,o),qs(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),n&&(yt(this,t),en(this))}setValue(t){if(Fs(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var eo=new WeakMap,Ze=wt(class extends tn{render(e){return m}update(e,[t]){let n=t!==this.G;return n&&this.G!==void 0&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=e.options?.host,this.rt(this.ct=e.element)),m}rt(e){if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=eo.get(t);n===void 0&&(n=new WeakMap,eo.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.G.value=e}get lt(){return typeof this.G=="function"?eo.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){this.rt(this.ct)}});function Va({spelled:e,offsets:t},n){let o=[...n],s=0;return e.map((r,i)=>{let l=Math.max(s,t[i]?.[1]??0),c=t[i]?"":o.slice(s).join("");r.trim()&&c.trimStart().startsWith(r)&&(l=s+[...c.slice(0,c.indexOf(r)+r.length)].length),r.replaceAll("▁","")||(l=s+/^\s*/u.exec(o.slice(s,l).join(""))[0].length);let u=o.slice(s,l).join("");return s=l,u})}var js=/^▁?(<unk>|\[UNK\])$/;function Ua(e,t){let n=t.trim();return js.test(e)&&n&&!js.test(n)?`<unk: ${n}>`:e}function on(e,t){let n=a.view.groupsWords?fs(e):e.spelled.map((r,i)=>[i]),o=Va(e,t),s=e.spelled.map((r,i)=>Ua(r,o[i]));return{groups:n,labels:n.map(r=>r.map(i=>s[i]).join("")),pieces:n.map(r=>r.map(i=>o[i]).join("")),direction:de(t)}}function Vs({groups:e},t){let n=e.findIndex(o=>o.at(-1)>=t);return n<0?e.length-1:n}function Us(e,t,n,o,s){let r=a.view.groupsWords?gs(t,n.groups,o.groups):t,i=Vs(n,s.row),l=Je(r,i),c=l.indexOf(Math.max(...l)),u=s.key!==null&&s.key<t.keys;return{kind:e,weights:r,rows:n,keys:o,row:i,bestKey:c,key:u?Vs(o,s.key):c}}function Ga({rows:e,keys:t,shares:n,inspection:o}){let{text:s,target:r,token_log_probs:i}=o,l=on(e,r??s),c=on(t,s),{outputPosition:u,inputPosition:p}=a.view,h=r===null&&i.length>0,f=h?u-1:u,b=Us("flow",hs(n),l,c,{row:f,key:p});return h&&(l.groups=l.groups.map(w=>w.map(y=>y+1))),b}function Ka(){let{tokens:e,weights:t}=a.inspection.result,{head:n}=a.view,o=[...t.keys()],s=o.filter(l=>n===`${ee}${P(l)}`);if(s.length)return s;let r=Object.keys(e),i=r.includes("cross")?"cross":r.at(-1);return o.filter(l=>l.startsWith(`${i}.`))}var nn=null;function za(e){return nn?.heads.length===e.length&&e.every((n,o)=>n===nn.heads[o])||(nn={heads:e,mean:ms(e)}),nn.mean}function $t(){let{result:e,flow:t}=a.inspection,{head:n,outputPosition:o,inputPosition:s,keyPosition:r}=a.view;if(!e)return null;if(n.startsWith(O))return t&&Ga(t);let{text:i,target:l,weights:c}=e,u=c.has(n)?[n]:Ka(),p=u[0].split(".")[0],h=e.tokens[p],f=u.map(E=>c.get(E)),b=on(h.rows,p==="encoder"?i:l??i),w=on(h.keys,p==="decoder"?l??i:i),y=h.rows.spelled.length-1,S=Cn(p)?{row:Math.min(o,y),key:s}:{row:Math.min(s??0,y),key:r};return Us(p,f.length>1?za(f):f[0],b,w,S)}function B({kind:e,rows:t,keys:n},o,s){let r=({groups:c},u)=>c[Math.max(0,Math.min(u,c.length-1))][0],i=r(t,o),l=r(n,s);Cn(e)?g({view:{outputPosition:i,inputPosition:l}}):g({view:{inputPosition:i,keyPosition:l}})}var Gs=12;function z(e,t=1){let n=G("paper"),o=G(e);return d`<span class="ramp" aria-hidden="true"
    >${Array.from({length:Gs},(s,r)=>{let i=n.map((l,c)=>Math.round(l+t*r/(Gs-1)*(o[c]-l)));return d`<i ${A({background:`rgb(${i.join(", ")})`})}></i>`})}</span
  >`}var Xa=1e3,Ja=.5,Ya=.7,Za=.05,Qa="20px system-ui, sans-serif",el=16,tl=3,nl=3,he=30,Ks=14,to=140,ol=640,sl=.7,rl=1.4,il=.4,sn=null;function al(e){let t=Math.min(a.view.rowShare,Ja);if(sn?.weights===e&&sn.share===t)return sn.edges;let n=Math.max(1,Math.floor(Xa/e.rows)),o=Array.from({length:e.rows},(s,r)=>Ys(e,r,t).slice(0,n)).flat();return sn={weights:e,share:t,edges:o},o}function Ys(e,t,n){let o=Je(e,t);return[...Xt(o,n)].map(s=>({row:t,key:s,weight:o[s]}))}var zs=new OffscreenCanvas(1,1).getContext("2d");function an(e){return zs.font=Qa,zs.measureText(e).width}function rn(e,t){let n=0,o=e.labels.map((s,r)=>{let i=r>0&&e.pieces[r]!==""&&!/^\s|^▁/u.test(e.pieces[r]+s),l=$(s),c=Math.max(24,an(l));return r&&(n+=i?tl:t*el),n+=c,{text:l,x:n-c/2,y:0,width:c}});if(e.direction==="rtl")for(let s of o)s.x=n-s.x;return{width:n,words:o}}function ll({rows:e,keys:t},n){let o=f=>Math.max(rn(e,f).width,rn(t,f).width),[s,r]=[o(1),o(2)-o(1)],i=Math.max(1,Math.min(nl,1+(n-Ks-s)/Math.max(r,1))),l={rows:rn(e,i),keys:rn(t,i)},c=Math.max(l.rows.width,l.keys.width)+Ks,u=(f,b)=>f.words.map(w=>({...w,x:w.x+(c-f.width)/2,y:b})),p=he,h=p+to;return{width:c,height:h+he,keys:u(l.keys,he/2),rows:u(l.rows,h+he/2),path:(f,b)=>`M ${f.x} ${h} C ${f.x} ${h-to/2}, ${b.x} ${p+to/2}, ${b.x} ${p}`}}function cl(e,t){let n=[...e];if(an(e)<=t)return e;for(;n.length>1&&an(`${n.join("")}…`)>t;)n.pop();return`${n.join("")}…`}function ul({rows:e,keys:t},n){let o=(u,p)=>u.labels.map(f=>cl($(f),il*n)).map((f,b)=>{let w=Math.max(24,an(f));return{text:f,width:w,x:p?n-4-w/2:4+w/2,y:he*(b+.5)}}),[s,r]=[o(t,!1),o(e,!0)],i=10+Math.max(...s.map(u=>u.width)),l=n-10-Math.max(...r.map(u=>u.width)),c=(i+l)/2;return{width:n,height:he*Math.max(s.length,r.length),keys:s,rows:r,path:(u,p)=>{let h=`C ${c} ${u.y}, ${c} ${p.y}, ${i} ${p.y}`;return`M ${n-8-u.width} ${u.y} L ${l} ${u.y} ${h} L ${8+p.width} ${p.y}`}}}var no=()=>Zs()<ol;function Zs(){let e=document.querySelector(".panel.alignment");if(!e)return innerWidth-66;let{paddingLeft:t,paddingRight:n}=getComputedStyle(e);return e.clientWidth-parseFloat(t)-parseFloat(n)}function Xs(e,t,n){let o=e.currentTarget.ownerSVGElement;o.classList.toggle("hovering",n!==null);for(let r of o.querySelectorAll(".lit"))r.classList.remove("lit");if(n===null)return;let s=t==="row"?"key":"row";for(let r of o.querySelectorAll(`.edge[data-${t}="${n}"]`))r.classList.add("lit"),o.querySelector(`.word[data-${s}="${r.dataset[s]}"]`)?.classList.add("lit");o.querySelector(`.word[data-${t}="${n}"]`)?.classList.add("lit")}function dl({text:e,x:t,y:n},o,s,r){return q`<text class="word" x=${t} y=${n} dy="0.35em" data-row=${o==="row"?s:-1}
    data-key=${o==="key"?s:-1} @click=${r}
    @pointerenter=${i=>Xs(i,o,s)}
    @pointerleave=${i=>Xs(i,o,null)}>\u2068${e}\u2069</text>`}var Js=e=>e?q`<rect class="frame-of-word" x=${e.x-e.width/2-4} y=${e.y-he/2+1}
        width=${e.width+8} height=${he-2} rx="4"></rect>`:m;function Qs(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=Zs(),l=no(),c=l?ul(e,i):ll(e,i),u=l?1:Math.max(sl,Math.min(rl,i/c.width)),h=[...a.view.hidesOtherRows?[]:al(t).filter(w=>w.row!==s),...Ys(t,s,a.view.rowShare)],f=w=>{let y=w.row===s,S=Math.max(Za,y?w.weight:Ya*w.weight);return q`<path class=${y?"edge here":"edge"} data-row=${w.row} data-key=${w.key}
      data-weight=${w.weight.toFixed(3)} opacity=${S} stroke-width=${1+4*w.weight}
      d=${c.path(c.rows[w.row],c.keys[w.key])}></path>`},b=(w,y,S)=>y.map((E,F)=>dl(E,w,F,()=>S(F)));return d`<div class="scroll" tabindex="0" role="group" aria-label="Curves">
    <svg
      id="curves"
      class="curves"
      width=${Math.round(u*c.width)}
      height=${Math.round(u*c.height)}
      viewBox="0 0 ${c.width} ${c.height}"
      role="img"
      aria-label="Curves from each of ${n.labels.length} tokens to those of ${o.labels.length} that it looks at"
    >
      ${h.map(f)} ${Js(c.keys[r])} ${Js(c.rows[s])}
      ${b("key",c.keys,w=>B(e,s,w))}
      ${b("row",c.rows,w=>B(e,w,r))}
    </svg>
  </div>`}var H=e=>e.target.value,Qe=e=>e.target.checked,et=e=>e.ctrlKey||e.metaKey||e.altKey,ln=e=>e.key==="Enter"&&(e.ctrlKey||e.metaKey);function pl(){let e=a.inspection.result?.tokens.decoder;return e?.keys.spelled[e.keys.spelled.length-e.rows.spelled.length]??null}var oo=(e,t)=>({writes:e[t]??null,read:t?e[t-1]??null:pl()}),so=(e,t)=>({writes:e[t+1]??null,read:e[t]??null});function tt(e){return e==="encoder"?"read":a.inspection.result?.target!==null?"translation":e==="decoder"?"text":"read"}function nt({kind:e,rows:t},n){let o=tt(e);return o==="read"?null:o==="translation"?oo(t.labels,n):so(t.labels,n)}var er=e=>d`<bdi class="strong">${$(e)}</bdi>`;function ie({writes:e,read:t},n="about",o=m){let s=d`${e===null?"the next token":er(e)}${o}`;return t===null?d`${n} to write ${s}`:d`${n} to write ${s}, has read ${er(t)}`}var tr=4,hl=({weights:e},t)=>e.keys-e.rows+t;function ro(e,t){return e.keys.labels.map((n,o)=>o).filter(n=>re(e.weights,t,n))}function ml(e){let t=e.rows.labels.flatMap((n,o)=>{let s=hl(e,o),r=i=>i<s||e.kind==="encoder";return ro(e,o).filter(r).map(i=>Math.abs(s-i))});return t.length?Math.min(...t):null}function nr(e,t){let n=t.slice(0,tr+ +(t.length===tr+1)),o=n.map((r,i)=>d`${i?", ":m}<bdi>${$(e.keys.labels[r])}</bdi>`),s=t.length-n.length;return d`${o}${s?` and ${s} more`:m}`}function fl(e){let t=ro(e,e.row),n=nt(e,e.row),o=n?d`${ie(n,"About")}: it may`:d`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi> may`,s=e.keys.labels.map((r,i)=>i).filter(r=>!t.includes(r));return t.length?d`${o} look at ${nr(e,s)}, and not at ${nr(e,t)}.`:d`${o} look at all of them.`}var or={cross:"No cell is grey: the text is there from the start, so every place may look at all of it. Heads that read what is written have grey cells: a place may not look at tokens that are not written yet.",encoder:"No cell is grey: the text is there from the start, so each token may look at those before and after it."};function sr(e){let{kind:t}=e;if(t==="flow")return m;if(!e.rows.labels.some((p,h)=>ro(e,h).length))return or[t]?d`<p id="mask">${or[t]}</p>`:m;let o=tt(t)==="translation",r=t==="decoder"?`a place may not look at tokens that are not written yet. While the model ${o?"translates":"writes"}, they do not exist. Here it reads a ${o?"translation":"text"} that is known to its end, so a mask hides them.`:"",i=ml(e),l=t==="encoder"?"to each side":"back",c=i===null?"":`this layer looks through a window: at its own position, and ${i-1} ${l}; the rest is hidden.`,u=[r,c].filter(Boolean).join(" Also, ");return d`<p id="mask"> Grey: ${u} ${fl(e)} </p>`}var rr=5,gl=.85,bl=.6;function wl({weights:e,rows:t,keys:n,row:o,key:s}){let r=(l,c)=>{let u=Math.max(0,Math.min(l-2,c-rr));return Array.from({length:Math.min(rr,c)},(p,h)=>u+h)},i=(l,c)=>{let u=re(e,l,c)?"forbidden":pe(e,l,c).toFixed(2),p=`${$(t.labels[l])} → ${$(n.labels[c])} ${u}`;return d`<td role="gridcell" aria-label=${p}></td>`};return d`<table class="unseen" role="grid" aria-label="Weights about the chosen cell">
    <tbody>
      ${r(o,e.rows).map(l=>d`<tr> ${r(s,e.keys).map(c=>i(l,c))} </tr>`)}
    </tbody>
  </table>`}function ir({pieces:e,labels:t,direction:n},o){let{id:s,label:r,chosen:i,shareOf:l,choose:c}=o,u=(h,f)=>{let b=l(f),w=h!==""&&!/\p{Letter}/u.test(h),y=A({background:b?ce("heat",gl*b):"",color:b>bl?"var(--paper)":""}),S=`part ${f===i?"here":""}`,[,E,F]=/^(\s*)([^]*)$/u.exec(h);if(Xe(e,f))return d`${E}<span class=${S} @click=${()=>c(f)} ${y}>${F}</span>`;let me=F||h||$(t[f]);return d`<bdi class=${h?"":"symbol"} dir=${w?n:"auto"} @click=${()=>c(f)}
      >${F?E:m}<span class=${S} ${y}>${me}</span></bdi
    >`},p=e.map(u);return d`<p id=${s} class="tokens" dir=${n} role="group" aria-label=${r}>${p}</p>`}var ar={translation:"the place that is about to write it, and has read those before it",text:"the place that has read it, and is about to write the next",read:"itself"};function yl(e){if(e==="flow")return`Each row is what was written or said; each column is a token of the input. The stronger a cell, the larger its share. ${a.inspection.flow?.caveat}`;let t=e==="cross"?"the tokens of the text, which it looks at":"the tokens that it looks at";return`Rows: each token stands for ${ar[tt(e)]}. Columns: ${t}.`}function $l({kind:e}){if(e==="flow")return m;let[t,n]=no()?["Left","Right"]:["Above","Below"];return d`<p class="hint" id="sides">
    ${t}: the tokens that are looked at. ${n}: each token stands for ${ar[tt(e)]}.
  </p>`}function xl(e,t){let{row:n,key:o,weights:s,keys:r}=t,i=r.direction==="rtl"?-1:1,c={ArrowUp:()=>B(t,n-1,o),ArrowDown:()=>B(t,n+1,o),ArrowLeft:()=>B(t,n,o-i),ArrowRight:()=>B(t,n,o+i),Home:()=>B(t,n,0),End:()=>B(t,n,s.keys-1),n:()=>He(1),p:()=>He(-1),PageDown:()=>Le(1),PageUp:()=>Le(-1)}[e.key];et(e)||!c||(c(),e.preventDefault())}var Pe=null,lr=()=>Pe;function vl(e,t){if(!Pe)return;let{weights:n,keys:o}=t,s=e.target.getBoundingClientRect(),r=Math.floor((e.clientX-s.left-Pe.left)/Pe.size),i=Math.floor((e.clientY-s.top-Pe.top)/Pe.size),l=o.direction==="rtl"?n.keys-1-r:r;i>=0&&l>=0&&i<n.rows&&l<n.keys&&B(t,i,l)}function kl(e){let{weights:t,rows:n,keys:o,row:s,key:r}=e,i=o.direction==="rtl",l={weights:t,rows:n.labels,keys:o.labels,chosen:{row:s,key:r},isMirrored:i},c=b=>{queueMicrotask(()=>{let w=b?.parentElement;w&&(Pe=_s(b,l,w.clientWidth))})},u=`${t.rows} rows, ${t.keys} columns`,p=d`<span><i class="stroke"></i> the others</span>`,h=t.values.includes(t.forbidden),f=d`<span><i class="forbidden"></i> forbidden by a mask</span>`;return d`<div class="frame">
      <canvas
        id="matrix"
        tabindex="0"
        role="img"
        aria-label="Weights of ${a.view.head}: ${u}. Arrow keys choose a cell."
        ${Ze(c)}
        @pointerdown=${b=>vl(b,e)}
        @keydown=${b=>xl(b,e)}
      ></canvas>
    </div>
    <p class="legend" id="legend">
      <span>${v("weight","weight")} 0 ${z("heat")} 1</span>
      ${h?f:m}
      <span><i class="stroke here"></i> the chosen token</span> ${a.view.hidesOtherRows?m:p}
    </p>`}function Tl(e){let{kind:t,weights:n,rows:o,keys:s,row:r,key:i,bestKey:l}=e,c=n.values instanceof Uint16Array?3:2,u=S=>pe(n,r,S).toFixed(c),p=d`<bdi class="strong">${$(o.labels[r])}</bdi>`,h=d`<bdi class="strong">${$(s.labels[i])}</bdi>`,f=d`<span class="strong number">${u(i)}</span>`,b=!re(n,r,i);if(t==="flow"&&b)return d`<p id="cell" role="status">${h} has a share of ${f} in ${p}.</p>`;let w=d`Most, ${u(l)}, goes to <bdi>${$(s.labels[l])}</bdi>.`,y=nt(e,r);return d`<p id="cell" role="status">
    ${y?d`${ie(y,"About")}:`:p}
    ${b?d`looks with ${f} at`:"may not look at"} ${h}. ${i===l?m:w}
  </p>`}function cr(){let e=(r,i)=>d`<option value=${r} ?selected=${r===a.view.head}>${i}</option>`,t=[...a.inspection.result.weights.keys()],n=[...new Set(t.map(P))],o=r=>d`<optgroup label="${It(r)} (${r})">
      ${t.filter(i=>P(i)===r).map(i=>e(i,Ln(i)))}
      ${e(`${ee}${r}`,`mean of ${r}`)}
    </optgroup>`,s=()=>d`<optgroup label="Through all layers">
      ${le.map(r=>e(`${O}${r}`,r))}
    </optgroup>`;return d`${v("head","Head")}
    <select id="head" aria-label="Head" @change=${r=>void Q(H(r))}>
      ${n.map(o)} ${e("mean","mean")} ${a.server.storedPage?m:s()}
    </select>
    ${Sl()}`}function Sl(){let e=Lt();if(!e)return m;let{head:t,isOfModel:n}=e;return d`<button id="aligns" aria-pressed=${a.view.head===t} @click=${()=>void Q(t)}
    >${n?"Alignment head":"Alignment layer of this sentence"}</button
  >`}function Al(){let{rowShare:e,groupsWords:t,hidesOtherRows:n}=a.view,o=`${Math.round(100*e)} %`;return d`${v("share","Share of a row")}
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
        @change=${s=>g({view:{groupsWords:Qe(s)}})}
      />
      ${v("words","words")}</span
    >
    <label
      ><input
        id="alone"
        type="checkbox"
        .checked=${n}
        @change=${s=>g({view:{hidesOtherRows:Qe(s)}})}
      />
      only the chosen token</label
    >`}function Rl({weights:e,rows:t,keys:n}){let o=(l,c)=>re(e,l,c)?null:pe(e,l,c).toFixed(4),s=()=>[["row","key","row_token","key_token","weight"],...t.labels.flatMap((l,c)=>n.labels.flatMap((u,p)=>{let h=o(c,p);return h===null?[]:[[c,p,l,u,h]]}))],r=(l,c)=>{let u=o(l,c);return u===null?null:Number(u)};return _("alignment",["#curves","#cell","#matrix","#legend"],s,()=>({head:a.view.head,rows:t.labels,keys:n.labels,weights:t.labels.map((l,c)=>n.labels.map((u,p)=>r(c,p)))}))}var El="<s> is the symbol that begins a text, </s> the one that ends it.";function Pl({kind:e,keys:t}){return d`<p class="hint" id="reading">
    ${t.direction==="rtl"?"Its columns run from right to left, as the text does.":m} ${e==="flow"?m:"The stronger the colour of a cell, the larger its weight; the weights of a row sum to 1. A weight says where a head looks. It does not say how important a token is: a head may look at tokens that change nothing in what is written."} ${El}
  </p>`}var io=()=>k()||a.server.storedPage?"Alignment":"Attention";function Ml(){let e=xe()?"After a translation, this shows which words of the text each word was written from.":"This shows which tokens of the text each token looks at.";return d`<section class="panel alignment" aria-labelledby="alignment-title">
    <div class="head"><h2 id="alignment-title">${io()}</h2></div>
    ${a.inspection.result?cr():m}
    <p class="hint">${x()?"…":e}</p>
  </section>`}function _l(){let{head:e}=a.view,{result:t}=a.inspection;return t?.weights.has(e)?Nt(e):e.startsWith(O)?`Through all layers: ${e.slice(O.length).replace("-"," ")}`:e.startsWith(ee)?`Mean of ${It(e.slice(ee.length))}`:"Mean of the last kind of heads"}function ur(){let e=$t();return!e||!a.inspection.result?Ml():d`<section class="panel alignment ${dr(e)?"stale":""}" aria-labelledby="alignment-title">
    <div class="head">
      <h2 id="alignment-title">${Lt()?v("alignment",io()):io()}</h2>
      <span id="shown-head" class="strong">${_l()}</span>
      ${Rl(e)}
    </div>
    <div class="together chooser" data-unsaved>${cr()}</div>
    ${Qs(e)} ${$l(e)} ${Tl(e)}
  </section>`}function dr({kind:e}){let{result:t,flow:n}=a.inspection;return j()||e==="flow"&&n?.inspection!==t}function pr(){let e=$t();if(!e||!a.inspection.result)return m;let{rows:t,keys:n,row:o,key:s,weights:r}=e,i=Je(r,o),l=Xt(i,a.view.rowShare),c=ir(t,{id:"row-tokens",label:"tokens that stand for the places that look",chosen:o,shareOf:()=>0,choose:p=>B(e,p,s)}),u=ir(n,{id:"key-tokens",label:"tokens that are looked at",chosen:s,shareOf:p=>l.has(p)?i[p]:0,choose:p=>B(e,o,p)});return d`<section class="panel matrix ${dr(e)?"stale":""}" aria-labelledby="matrix-title">
    <div class="head">
      <h2 id="matrix-title">All its weights</h2>
      ${Al()}
    </div>
    <p class="hint" id="axes">${yl(e.kind)}</p>
    ${sr(e)} ${kl(e)} ${wl(e)}
    <div class="sides">${c} ${u}</div>
    ${Pl(e)}
    <p class="hint" id="keys">
      In the matrix, arrows, home and end choose a cell. N, P: next and previous head. Page up, page down: another
      layer.
    </p>
  </section>`}var hr=320,mr=18;function Me(e,t,n,{max:o=Math.max(...n.map(Math.abs),1e-9),opacity:s=1}={}){let r=hr/n.length,i=`from ${Math.min(...n).toFixed(2)} to ${Math.max(...n).toFixed(2)}`,l=(c,u)=>q`<rect x=${u*r} width=${r} height=${mr} class=${c<0?"less":"more"}
      opacity=${(Math.min(1,Math.abs(c)/o)*s).toFixed(3)}><title>${c.toFixed(3)}</title></rect>`;return d`<div class="strip">
    <span>${t}</span
    ><svg
      data-strip=${e}
      viewBox="0 0 ${hr} ${mr}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${e}: ${n.length} numbers, ${i}"
    >
      ${n.map(l)}
    </svg>
  </div>`}var Ol=.01,Cl=.12;function Hl({length:e,residual:t}){let n=Math.max(e,t),o=(s,r,i)=>d`<div class="change">
      <span>${s}</span
      ><span class="track"><span ${A({width:`${100*i/n}%`})}></span></span>
      <span class="number" id=${r}>${i.toFixed(2)}</span>
    </div>`;return d`${o("what it adds","added-length",e)} ${o("the state before","residual-length",t)}`}function Ll({likelier:e,said:t}){if(!e.length&&!t)return m;let n=()=>d`It adds <span class="strong number" id="said">${t[1].toFixed(2)}</span> to the logit of
      <bdi class="strong">${$(t[0])}</bdi>, which is about to be written.`,o=()=>d`Read by the output layer, it makes these likelier, most of all the first:
    ${e.map(([s,r])=>d`<span class="likelier"><bdi class="strong">${$(s)}</bdi> +${r.toFixed(2)}</span> `)}
    (${v("logit","logits")}).`;return d`<p>${e.length?o():m} ${t?n():m}</p>`}function Il({keys:e,labels:t},n){let o=Math.max(...n.values.flat().map(Math.abs),1e-9),s=e.filter((c,u)=>u===0||n.weights[c]>=Ol),r=n.weights.length-s.length,i=Math.max(0,1-s.reduce((c,u)=>c+n.weights[u],0)),l=s.map((c,u)=>{let p=n.weights[c],h=d`<bdi>${$(t[c]??"")}</bdi>
      <span class="number">× ${p.toFixed(2)}</span>`,f=Math.max(Cl,p);return Me(`value ${u}`,h,n.values[u],{max:o,opacity:f})});return d`<p>
      Each of these tokens has a ${v("value","value")}, too. The head multiplies each value by its weight, and adds
      them up:
    </p>
    ${l}
    ${r?d`<p class="hint">and ${r} more keys, together × ${i.toFixed(2)}.</p>`:m}
    ${Me("sum",d`<span class="strong">their sum</span>`,n.total,{max:o,opacity:1})}
    <p>A matrix turns the sum into the vector that the head adds to the state. Lengths:</p>
    <div class="lengths">${Hl(n)}</div>
    ${Ll(n)}`}function fr(e){ls(e);let{writes:t}=a.inspection,n=gt(),o=t!==null&&t.cell!==Ae(e.row,a.view.head);return d`<div id="writes" class=${o?"stale":""} ?data-unsaved=${n!==""}>
    <h3>What it takes from them, and adds</h3>
    ${n?d`<p class="hint" id="no-writes">This cannot be shown for this model: ${n}</p>`:t?Il({keys:t.result.keys,labels:t.view.keys.labels},t.result):d`<p class="hint">…</p>`}
  </div>`}var Nl=6;function Wl(e,t){let{weights:n,allowed:o,scores:s,bias:r}=t,i=y=>s[y]+r[y],l=n.map((y,S)=>S).filter(y=>o[y]),c=Math.max(...l.map(i)),u=y=>Math.exp(i(y)-c),p=l.reduce((y,S)=>y+u(S),0),h=[...l].sort((y,S)=>i(S)-i(y)).slice(0,Nl),f=h.includes(e.key)||!o[e.key]?h:[...h,e.key],b=y=>d`<tr class=${y===e.key?"strong":""}>
      <td><bdi>${$(e.keys.labels[y])}</bdi></td>
      <td class="number">${i(y).toFixed(2)}</td>
      <td class="number">${u(y).toFixed(3)}</td>
      <td class="number">${n[y].toFixed(3)}</td>
      <td class="fill">
        <span class="track"><span ${A({width:`${100*n[y]}%`})}></span></span>
      </td>
    </tr>`,w=l.length-f.length;return d`<table id="softmax">
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
    ${w>0?d`<p class="hint">and ${w} more keys.</p>`:m}`}function Dl({key:e},t){let{query:n,terms:o,factor:s,scores:r,bias:i,allowed:l}=t;if(!l[e])return d`<p id="score">
      A mask forbids this key: it gets the weight 0, whatever its score is. Softmax makes weights of the others:
    </p>`;let c=o.reduce((f,b)=>f+b,0),u=f=>d`<span class="number">${f.toFixed(3)}</span>`,p=d`, times ${u(s)} (1 ÷ √${n.length})`,h=d`, plus ${u(i[e])} for the positions`;return d`<p id="score">
    The sum, ${u(c)}${s===1?m:p}${i[e]?h:m}, is the score
    <span class="strong number">${(r[e]+i[e]).toFixed(3)}</span>. Softmax makes weights of the scores of
    a row:
  </p>`}function Bl(e,t){let n=d`<bdi class="strong">${$(e.rows.labels[e.row])}</bdi>`,o=d`<bdi class="strong">${$(e.keys.labels[e.key])}</bdi>`,s=nt(e,e.row),r=s?d`the place that is ${ie(s)}`:d`the token ${n}`,i=t.is_additive?"v · tanh(query + key)":"their product, number by number",l=s?.writes?d`query, about to write <bdi>${$(s.writes)}</bdi>`:"query";return d`<p class="hint" id="place">The query belongs to ${r}.</p>
    ${Me("query",l,t.query)} ${Me("key",d`key of ${o}`,t.key)}
    ${Me("terms",i,t.terms)} ${Dl(e,t)} ${Wl(e,t)}
    ${fr(e)}
    <p class="legend"><span>below 0 ${z("less")}</span> <span>above 0 ${z("more")}</span></p>`}function Fl(e,t){let{scores:n,bias:o,allowed:s,weights:r}=t,{labels:i}=e.keys;return _("computed",[".computed > .strip","#score","#softmax","#writes"],()=>[["key","score","position","allowed","weight"],...i.map((u,p)=>[u,n[p],o[p],Number(s[p]),r[p]])],()=>({head:a.view.head,row:e.rows.labels[e.row],key_token:i[e.key],...t,writes:a.inspection.writes?.result??null}))}function gr(){let e=$t(),t=a.inspection.result;if(!t||!e||a.server.storedPage)return m;let{showsComputation:n,groupsWords:o,head:s}=a.view,r=t.weights.has(s);n&&!o&&is(e);let i=n&&r&&!o?a.inspection.lookup:null,l=j()||i!==null&&i.cell!==Un(e),u=n?r?o?"Heads look at tokens, and not at words. Switch “words” off.":i?Bl(i.view,i.result):"…":"What is shown is not one head. Choose a head in the grid.":"The place that is about to write a token asks with its query; the tokens that it may look at answer with their keys, and give their values: this shows the numbers.";return d`<section class="panel computed ${l?"stale":""}" aria-labelledby="computed-title">
    <div class="head">
      <h2 id="computed-title">${v("lookup","How this weight is computed")}</h2>
      <button
        id="explain"
        aria-expanded=${n}
        @click=${()=>g({view:{showsComputation:!n}})}
        >${n?"Hide":"Show"}</button
      >
      ${i?Fl(i.view,i.result):m}
    </div>
    ${typeof u=="string"?d`<p class="hint">${u}</p>`:u}
  </section>`}var ql=5,jl=480,br=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e/t*n)));function wr(e){let{importance:t,importanceByToken:n}=a.heads,{sentence:o}=a.inspection,s=e.map(b=>n[b]??[]),r=Math.max(...s.map(b=>b.length));if(!t||!o||!r)return m;let i=k()?0:1,l=Math.max(0,Math.min(a.view.outputPosition-i,r-1)),c=e.findIndex((b,w)=>b===a.view.head&&s[w].length),u=$(ve()[l]??""),p=c<0?"":`${e[c]} is worth ${s[c][l].toFixed(3)} nats for ${u}.`,h=b=>{b&&Ms(b,s,r)},f=b=>{let w=b.target.getBoundingClientRect(),y=e[br(b.clientY-w.top,w.height,e.length)],S=br(b.clientX-w.left,w.width,r)+i;g({view:{head:y,outputPosition:Math.min(S,o.tokens.length-1)}})};return d`<details class="sweep" open>
    <summary>Head by head, token by token</summary>
    <canvas
      id="sweep"
      role="img"
      aria-label="What each head is worth for each token. ${p}"
      ${Ze(h)}
      ${A({height:`${Math.min(ql*e.length,jl)}px`})}
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
  </details>`}var Vl=44,Ul=.4,ao={place:()=>0,worth:({head:e})=>-(a.heads.importance?.[e]??0),entropy:({entropy:e})=>e,sharpness:({confidence:e})=>-e,offset:({offset:e})=>e===null?1/0:Math.abs(e),label:({label:e})=>e},$r=()=>a.heads.sortBy!=="place"&&Object.hasOwn(ao,a.heads.sortBy);function xr(){let{heads:e}=a.inspection.result;if($r()){let n=ao[a.heads.sortBy],o=(s,r)=>n(s)<n(r)?-1:+(n(s)>n(r));return[{layer:"",heads:[...e].sort(o)}]}return[...new Set(e.map(n=>P(n.head)))].map(n=>({layer:n,heads:e.filter(o=>P(o.head)===n)}))}var vr=()=>a.inspection.result.heads.map(e=>e.head),kr=e=>vr().filter(t=>P(t)===P(e));function Tr(e){let t=vr().filter(s=>s!==e),{disabled:n}=a.heads,o=n.length===t.length&&!n.includes(e);se(o?[]:t)}function Gl(e,t){let n=xr().map(({heads:u})=>u.map(p=>p.head)),o=n.findIndex(u=>u.includes(e)),s=n[o].indexOf(e),r=n.flat(),i=r.indexOf(e),l=(u,p)=>u[Math.max(0,Math.min(p,u.length-1))];return{ArrowLeft:l(r,i-1),ArrowRight:l(r,i+1),ArrowUp:l(l(n,o-1),s),ArrowDown:l(l(n,o+1),s),Home:n[o][0],End:n[o].at(-1)}[t]}var yr={n:()=>He(1),p:()=>He(-1),PageDown:()=>Le(1),PageUp:()=>Le(-1)};function Kl(e,t){if(et(e))return;let n=Gl(t,e.key);if(n!==void 0)g({view:{head:n}});else if(Object.hasOwn(yr,e.key))yr[e.key]();else if(e.key===" "&&X())Fe(e.shiftKey?kr(t):[t]);else if(e.key==="s"&&X())Tr(t);else return;e.preventDefault(),requestAnimationFrame(()=>document.querySelector(`[data-head="${a.view.head}"]`)?.focus())}function zl(e){let t=Math.max(...Object.values(a.heads.importance??{}),1e-9),n=ce("more",Ul*Math.max(0,e)/t),o=e.toFixed(2).replace("-0.00","0.00");return d`<span class="tag number" aria-hidden="true" ${A({background:n})}>${o}</span>`}function Xl({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e];return[`${e}: ${t}`,`entropy ${n.toFixed(2)} nats`,`highest weight ${o.toFixed(2)}`,...s===null?[]:[`offset ${s.toFixed(1)}`],...r===void 0?[]:[`worth ${r.toFixed(3)} nats per token`]].join(", ")}function Jl(e,t){let{head:n}=e,o=a.inspection.result.weights.get(n),s=a.heads.disabled.includes(n),r=a.heads.importance?.[n],i=Xl(e),l=u=>{u&&Ps(u,o,Vl)},c=n.replace(/^(\w)\w+/,"$1");return d`<button
    class="cell ${s?"off":""}"
    aria-pressed=${a.view.head===n}
    aria-label="${i}${s?", off":""}"
    title=${i}
    data-head=${n}
    tabindex=${t?0:-1}
    @click=${()=>g({view:{head:n}})}
    @keydown=${u=>Kl(u,n)}
    ><canvas ${Ze(l)}></canvas>
    ${$r()?d`<span class="tag" aria-hidden="true">${c}</span>`:m}
    ${r===void 0?m:zl(r)}</button
  >`}function Yl(e){let t=a.heads.disabled.includes(e),n=kr(e).filter(o=>o!==e);return d`<button id="toggle" data-unsaved @click=${()=>void Fe([e])}
      >${t?"Switch on":"Switch off"}</button
    >
    <button id="solo" data-unsaved @click=${()=>Tr(e)}>Solo</button>
    <button data-unsaved @click=${()=>void se(n)}>Solo in its layer</button>`}function Zl({head:e,label:t,entropy:n,confidence:o,offset:s}){let r=a.heads.importance?.[e],i=d`, ${v("offset","offset")} ${s?.toFixed(1)}`;return d`<div class="chosen">
    <p class="strong" id="head-words">${Nt(e)}</p>
    ${X()?d`<p class="together">${Yl(e)}</p>`:m}
    <p class="hint" id="statistics">
      <span id="head-title">${e}</span>: ${v("label",t)}; ${v("entropy","spread (entropy)")}
      ${n.toFixed(2)} nats, ${v("highest","highest weight")}
      ${o.toFixed(2)}${s===null?m:i}, mean over
      rows.${r===void 0?m:d` Worth ${r.toFixed(3)} nats per token.`}
    </p>
  </div>`}var Ql={entropy:"spread (entropy)",sharpness:"highest weight"};function ec(){let{sortBy:e,importance:t}=a.heads,n=Object.keys(ao).filter(s=>s!=="worth"||t),o=s=>d`<option value=${s} ?selected=${s===e}>${Ql[s]??s}</option>`;return d`<label
    >Order
    <select id="order" @change=${s=>g({heads:{sortBy:H(s)}})}>
      ${n.map(o)}
    </select></label
  >`}function tc(e,t){if(!e)return m;let n=`Layer ${e.split(".")[1]}`;return X()?d`<button
    class="site"
    title="Switch the whole layer off or on"
    aria-label="${n} (${e})"
    @click=${()=>void Fe(t)}
    >${n}</button
  >`:d`<span class="site">${n}</span>`}function nc(e){return!(a.inspection.result?.target!=null)||e==="encoder"?"The text reads itself":e==="cross"?"The translation reads the text":"The translation reads what is written (grey: not written yet)"}function oc(e){let t=e.map(({layer:n})=>n.split(".")[0]);return[...new Set(t)].map(n=>e.filter((o,s)=>t[s]===n))}function sc(e,t){let[n]=e[0].layer.split(".");return d`<div class="group">
    ${n?d`<p class="kind hint">${nc(n)}</p>`:m} ${e.map(o=>rc(o,t))}
  </div>`}function rc({layer:e,heads:t},n){let o=t.map(s=>s.head);return d`<div class="layer" role="group" aria-label=${e||"all heads"}>
    ${tc(e,o)}
    <div class="cells ${e?"":"sorted"}" ${A({"--count":String(t.length)})}>
      ${t.map(s=>Jl(s,s.head===n))}
    </div>
  </div>`}function ic(){let{heads:e}=a.inspection.result,{importance:t,importanceByToken:n,disabled:o}=a.heads,s=c=>t?.[c]??null,r=["head","label","entropy","highest_weight","offset","worth"];return _("heads",["#heads","#sweep",".chosen"],()=>[[...r,...t?ve():[]],...e.map(({head:c,label:u,entropy:p,confidence:h,offset:f})=>{let b=t?n[c]??[]:[];return[c,u,p,h,f,s(c),...b]})],()=>e.map(c=>({...c,is_off:o.includes(c.head),worth:s(c.head),worth_by_token:n[c.head]??null})))}function Sr(){let e=a.inspection.result;if(!e)return d`<section class="panel heads" aria-labelledby="heads-title">
      <div class="head"><h2 id="heads-title">Heads</h2></div>
      <p class="hint">
        A head is one way of looking: each layer has several. All of them appear here, and each can be switched off.
      </p>
    </section>`;let{disabled:t}=a.heads,n=e.heads.find(c=>c.head===a.view.head),o=xr(),s=n?.head??o[0]?.heads[0]?.head,r=d`<button id="rank" @click=${()=>void qe()}>Rank all heads</button>
    <span class="hint">by ${v("worth","worth")}</span>`,i=()=>Ee("heads-off.txt",`${t.join(`
`)}
`);return d`<section
    class="panel heads ${j()?"stale":""}"
    aria-labelledby="heads-title"
    ${A({"--widest":String(Math.max(...o.map(({heads:c})=>c.length)))})}
  >
    <div class="head">
      <h2 id="heads-title">Heads</h2>
      ${ec()} ${xe()&&X()?r:m}
      ${t.length?d`<button @click=${i}>List of heads that are off</button>`:m}
      ${ic()}
    </div>
    ${n?Zl(n):m}
    <div id="heads">${oc(o).map(c=>sc(c,s))}</div>
    ${wr(o.flatMap(({heads:c})=>c.map(u=>u.head)))}
    <p class="hint">
      Click or arrows: look at a head. N, P: the next and the previous one. ${X()?"Space: switch it off or on. Shift and space: its layer. S: only this one.":m}
    </p>
  </section>`}var lo=()=>matchMedia("(prefers-reduced-motion: reduce)").matches?"auto":"smooth";function cn(e){requestAnimationFrame(()=>{let t=document.querySelector(e);if(!t)return;let{top:n}=t.getBoundingClientRect();n>=0&&n<innerHeight/2||t.scrollIntoView({behavior:lo(),block:"start"})})}var Ar=150,vt=40,co=84,xt=Ar-co/2,ac=e=>/\.\d+\.\d+$/.test(e);function lc(e){if(e==="embeddings")return e;let[t,n]=e.split("."),o=`layer ${n}`;if(e.endsWith("feed_forward"))return`${o}: feed-forward`;let s=t==="decoder"&&a.inspection.result?.target!==null;return`${o}: reads ${s?"what is written":"the text"}`}function cc({parts:e}){return Object.keys(e).filter(ac).sort((n,o)=>e[o]-e[n])[0]}function uc({name:e,length:t,total:n},o,s){let r=w=>Math.min(co,Math.max(1,co*w/s)),[i,l]=[r(o),r(n)],c=Math.min(vt,r(t)),u=e==="embeddings",p=u?l:i,h=vt/2,f=xt-i/2,b=`M 0 ${h} C 30 ${h}, ${f-14} ${h}, ${f+6} ${h+4}`;return q`<path class="state" d="M ${xt-p/2} 0 L ${xt+p/2} 0
      L ${xt+l/2} ${vt} L ${xt-l/2} ${vt} Z"></path>
    ${u?m:q`<path class="added" stroke-width=${c.toFixed(2)} d=${b}></path>`}`}function dc(e,{before:t,max:n,expected:o}){let{name:s,length:r,total:i,says:l}=e,c=cc(e),u=c!==void 0&&P(a.view.head)===s,p=()=>{Q(c),cn(".alignment")},h=`adds ${r.toFixed(2)}; the state is then ${i.toFixed(2)} long`,f=lc(s),b=d`<button
    class="link"
    title="Show head ${c?.split(".")[2]}, which adds most"
    aria-label="${f}. Show ${c}, the head that adds most"
    @click=${p}
    >${f}</button
  >`;return d`<div class="junction ${u?"here":""}" role="listitem" data-sublayer=${s}>
    <span>${c?b:f}</span>
    <svg viewBox="0 0 ${Ar} ${vt}" preserveAspectRatio="none" role="img" aria-label=${h}>
      <title>${h}</title>
      ${uc(e,t,n)}
    </svg>
    <span class="number length">${r.toFixed(1)}</span>
    ${l?d`<bdi class=${l[0]===o?"strong":""}>${$(l[0])}</bdi
            ><span class="number">${(100*l[1]).toFixed(0)} %</span>`:m}
  </div>`}function Rr(e,t){if(a.server.storedPage||gt()||!a.inspection.result?.weights.size)return;cs(e);let{stream:n}=a.inspection;if(!n)return d`<p class="hint">…</p>`;let{sublayers:o}=n.result,s=Math.max(...o.map(({total:u})=>u)),[r]=o,{token:i,position:l}=r?.parts??{},c=d`The embedding of the token is ${i?.toFixed(1)} long, that of its position
  ${l?.toFixed(1)}.`;return d`<div class="captions" aria-hidden="true">
      <span></span><span></span><span class="number length">adds</span><span>would write</span>
    </div>
    <div class="stream ${n.cell===Ae(e)?"":"stale"}" role="list">
      ${o.map((u,p)=>dc(u,{before:o[p-1]?.total??0,max:s,expected:t}))}
    </div>
    <p class="hint">
      ${v("stream","The state")} of the place above, from the embedding of the token that it has read, downwards:
      each attention and each feed-forward layer adds a vector of this length. Then the token that the output layer
      would write from the state as it is there (the ${v("lens","logit lens")}). Before the last layers it is a hint
      only: the state is made for the layers that follow.
      ${l===void 0?"The embedding has no part for the position.":c}
    </p>`}var pc=5;async function _e(){Ve(),await Pr()}async function Er(){let{text:e}=a.request,t=Y(),n=()=>t!==null&&Y()===t&&a.request.text===e&&!a.status.error;await Pr();for(let o of t?.edits??[])n()&&await hc(o);t&&n()&&await mc(t,n),Y()===t&&!a.status.error&&Ve(),g({})}async function hc({sentenceIndex:e,edit:t}){if(!a.output.sentences[e]?.isDone)return;let{sentenceIndex:n,outputPosition:o}=a.view;g({view:{sentenceIndex:e}}),await(t.kind==="prefix"?Cr(t.position,t.token,t.prefix):ot(t)),g({view:{sentenceIndex:n,outputPosition:o}}),e!==n&&await W()}async function mc(e,t){let{snapshot:n,compared:o,tracesSearch:s,ranksHeads:r}=e,{sortBy:i}=a.heads;s&&t()&&await ue(),r&&t()&&await qe(),g({heads:{sortBy:i}}),o&&t()&&await kt(o),n!==null&&T()?.snapshots?.includes(n)&&t()&&await Kt(n)}async function Pr(){let{text:e,isHtml:t}=a.request;if(Te("inspect"),!k())return;if(!e.trim())return Te("translate"),g(...Ht);if(t)return await fc(e);await R("translate","Translating",async o=>{let s=Ne(),r={...V(),...s,text:e,alternatives:Ie};await Mr(r,o,{decoding:s},i=>{let l=Math.max(0,Math.min(a.view.sentenceIndex,i.length-1));g({output:{sentences:i,sourceText:e,html:"",compared:null},view:{hoveredToken:null,sentenceIndex:l}})})})&&x()?.isDone&&await W()}async function fc(e){await R("translate","Translating",async t=>{let n={...V(),...Ne(),text:e,format:"html"},{text:o}=await M("translate",n,t);g({output:{html:o,sourceText:e,sentences:[]}},_n)})}async function Mr(e,t,n,o){let s=a.request.temperature?{}:{n_best:Math.min(a.request.beamSize,pc)},r=[];for await(let{name:i,data:l}of jo({...e,...s},t)){if(t.aborted)return;if(i==="meta"){for(let c=0;c<l.sentences;c++)r.push({...Ke(),index:c,...n});continue}if(i==="error")throw new U(l.status,l.message);if(i==="token"){let c=r[l.sentence];c.text=l.text,c.tokens.push(...l.tokens??[])}else i==="done"&&gc(r,l,n.separator);o(r)}}function gc(e,{text:t,sentences:n},o){let s=0;n.forEach((r,i)=>{let{text:l,score:c,source:u,ids:p,n_best:h=[]}=r,f=Math.max(t.indexOf(l,s),s),b={text:l,score:c,source:u,ids:p,nBest:h,isDone:!0,separator:o??t.slice(s,f)};Gn(Object.assign(e[i],b),r),s=f+l.length})}function _r(){let e=Object.values(a.inspection.result?.tokens??{}).at(-1)?.rows;return e?.offsets.at(-1)===null?e.spelled.at(-1):void 0}var Or=e=>!ze(e)||k()&&e===_r();async function uo(e,t){let n=x();if(!n?.isDone)return;let o=n.tokens.slice(0,e).map(s=>s.token);N(),await un(async()=>{t===_r()?await ot({text:K(o),ids:n.ids.slice(0,e)}):await Cr(e,t,K([...o,t]))})}async function un(e){let t=document.activeElement?.closest(".alternatives, .before, .nbest");await e(),Be(()=>{let{activeElement:n}=document,o=!n||n===document.body||n.disabled;if(!t||!o)return;(document.querySelector('#output .token[aria-pressed="true"]')??document.querySelector("#output .token"))?.focus()})}async function Cr(e,t,n){let o=x(),{sentences:s}=a.output,{sentenceIndex:r}=a.view;if(!o?.isDone)return;let{source:i,separator:l}=o,c=Ne(),u={...V(),...c,text:i,prefix:n,split:!1,alternatives:Ie},p={kind:"prefix",position:e,token:t,prefix:n},h={source:i,separator:l,decoding:c,prefix:n,original:o.original??o,edit:p},f=s,b=await R("translate","Decoding again",async y=>{await Mr(u,y,h,([S])=>{f=s.with(r,S),g({output:{sentences:f,compared:null},view:{outputPosition:e}})})});f!==s&&a.output.sentences===f&&!f[r].isDone&&g({output:{sentences:s}}),b&&x()?.isDone&&await W()}async function po(){let{original:e}=x()??{};e&&(N(),await un(async()=>{let{sentenceIndex:t,outputPosition:n}=a.view;g({output:{sentences:a.output.sentences.with(t,e),compared:null},view:{outputPosition:Math.min(n,e.tokens.length-1)}}),await W()}))}async function Hr(e,{text:t,ids:n},o){let s=n.length?{target_ids:n}:{target_text:t},r={...V(),text:e.source,...s,alternatives:Ie},i=await M("score",r,o),l={...e,text:t,ids:i.ids,original:e.original??e,edit:{kind:"translation",text:t,ids:i.ids},score:i.log_prob,tokens:[]};return Gn(l,{...i,tokens:i.tokens.slice(0,-1)}),l}async function kt(e){let t=x(),{compared:n}=a.output;if(!t||n&&zt(n,e))return g({output:{compared:null}});await R("compare","Reading",async o=>{g({output:{compared:await Hr(t,e,o)}})})}async function ot(e){let t=x(),{sentenceIndex:n}=a.view;if(!t)return;await R("translate","Reading",async s=>{let r=await Hr(t,e,s),i=Math.max(0,Math.min(a.view.outputPosition,r.tokens.length-1));g({output:{sentences:a.output.sentences.with(n,r),compared:null},view:{outputPosition:i,hoveredToken:null}})})&&await W()}var Ir=.55,bc=-3,st=e=>`${(100*Math.exp(e)).toFixed(e>Math.log(.1)?0:1)} %`,ho=e=>({background:e===null?"":ce("doubt",Ir*Math.min(1,e/bc))});function Nr(e,t){let n=a.view.sentenceIndex!==e;g({view:{sentenceIndex:e,outputPosition:t}},n?{output:{compared:null}}:{}),n&&W()}function wc(e,t,n){let o=a.output.sentences[t].tokens.length,s=getComputedStyle(e.target).direction==="rtl"?-1:1,i={ArrowLeft:n-s,ArrowRight:n+s,Home:0,End:o-1}[e.key];i===void 0||i<0||i>=o||et(e)||(e.preventDefault(),Nr(t,i),document.querySelector(`[data-sentence="${t}"] [data-place="${i}"]`)?.focus())}function Wr({edit:e},t,n){return e?.kind==="prefix"&&e.position===n&&e.token===t.token}function yc(e,t,n,o,s){let r=e.tokens[t],{outputPosition:i}=a.view,l=a.view.sentenceIndex===n,c=l&&i===t,u=t===0&&(!l||i>=e.tokens.length),p=Wr(e,r,t);return d`<button
    class="token ${o?"new":""} ${p?"prefix-end":""} ${s}"
    ${A(ho(r.log_prob))}
    aria-pressed=${c}
    tabindex=${c||u?0:-1}
    data-place=${t}
    aria-description=${r.log_prob===null?"":st(r.log_prob)}
    title=${p?"written by you":m}
    @click=${()=>Nr(n,t)}
    @keydown=${h=>wc(h,n,t)}
    @pointerenter=${h=>vc(h,n,t)}
    @pointerleave=${Dr}
    dir="auto"
    >${$(r.token)}</button
  >`}var $c=200,xc=280,Lr=8,dn=0;function vc(e,t,n){if(e.pointerType==="touch"||(clearTimeout(dn),!a.output.sentences[t]?.tokens[n]?.alternatives.length))return;let{left:o,bottom:s}=e.target.getBoundingClientRect();g({view:{hoveredToken:{sentenceIndex:t,position:n,left:o,bottom:s}}})}function Dr(){clearTimeout(dn),dn=window.setTimeout(()=>{a.view.hoveredToken&&g({view:{hoveredToken:null}})},$c)}function pn(e){let{hoveredToken:t,sentenceIndex:n,outputPosition:o}=a.view;if(!t)return m;let{sentenceIndex:s,position:r,left:i,bottom:l}=t,c=a.output.sentences[s],u=c?.tokens[r];if(!u||s===n&&r===o)return m;let p=b=>{g({view:{sentenceIndex:s,outputPosition:r,hoveredToken:null}}),e(r,b)},h=innerWidth-xc-Lr,f={left:`${Math.max(Lr,Math.min(i,h))}px`,top:`${l}px`};return d`<div
    class="peek"
    aria-hidden="true"
    @pointerenter=${()=>clearTimeout(dn)}
    @pointerleave=${Dr}
    ${A(f)}
  >
    ${Br(c,u,p,-1)}
  </div>`}function Br(e,t,n,o){let s=(r,i)=>{let l=r===t.token;return d`<button
      class="bar ${l?"own":""}"
      tabindex=${o}
      ?disabled=${l||!e.isDone||!Or(r)}
      @click=${()=>n(r)}
      ><bdi>${$(r)}</bdi
      ><span class="track"><span ${A({width:`${100*Math.exp(i)}%`})}></span></span>
      <span class="number">${st(i)}</span></button
    >`};return t.alternatives.map(([r,i])=>s(r,i))}function hn(e){let t=x(),{outputPosition:n}=a.view,o=t?.tokens[n];if(!t||!o?.alternatives.length)return m;let s=$(o.token);return d`<div class="alternatives" role="group" aria-label="Other tokens in the place of ${s}">
    <p class="hint">
      In the place of <bdi class="strong">${s}</bdi>.
      <span data-unsaved>Choose a token: it is written, and the rest is decoded again.</span>
    </p>
    ${Br(t,o,r=>void e(n,r),0)}
  </div>`}var kc=e=>d`<button
    class="unpin"
    data-unsaved
    title="Take it back"
    aria-label="Take ${$(e)} back"
    @click=${()=>void po()}
    >✕</button
  >`,mo=(e,t)=>t&&e.startsWith("▁")?" ":m;function Tc(e,t){let{original:n}=e;if(!n||!e.isDone)return m;let o=d`<button id="take-back" data-unsaved @click=${()=>void po()}>Take it back</button>`;return d`<p class="before hint">
    before: <bdi>${Re(n.text,e.text,"deleted")}</bdi> ${t===a.view.sentenceIndex?o:m}
  </p>`}function rt(e,t){let n=Kn(e),o=e.tokens.map(c=>c.token),s=!e.isDone&&a.status.busy.translate,r=o.map((c,u)=>{let p=Xe(o,u),h=yc(e,u,t,n[u],p),b=e.isDone&&Wr(e,e.tokens[u],u)&&t===a.view.sentenceIndex;return d`${mo(c,u)}${h}${b?kc(c):m}`}),i=de(K(o)),l=`Sentence ${t+1}`;return d`<p class="output" dir=${i} data-sentence=${t} role="group" aria-label=${l}>
      ${r}${s?d`<span class="caret"></span>`:m}
    </p>
    ${Tc(e,t)}`}function it(){let e=a.output.sentences.some(s=>Kn(s).some(Boolean)),t=x()?.edit?.kind==="prefix",n=d`<span><u class="new">underlined</u>: other than before</span>`,o=d`<span><span class="token prefix-end">framed</span>: written by you</span>`;return d`<p class="legend" id="doubts">
    <span>${v("probability","the model was sure")} ${z("doubt",Ir)} unsure</span>
    ${e?n:m} ${t?o:m}
  </p>`}function at(){let e=a.output.sentences.flatMap((t,n)=>t.tokens.flatMap(({token:o,log_prob:s,alternatives:r},i)=>{let l=[n,i,o,s];return r.length?r.map(c=>[...l,...c]):[[...l,"",null]]}));return[["sentence","place","token","log_prob","alternative","its_log_prob"],...e]}var Sc=900,Fr=0;function qr(){g({view:{isPlaying:!a.view.isPlaying}}),clearInterval(Fr),a.view.isPlaying&&(Fr=window.setInterval(Ac,Sc))}function Ac(){let e=(a.inspection.sentence?.tokens.length??1)-1;a.view.outputPosition>=e?qr():g({view:{outputPosition:a.view.outputPosition+1}})}var Rc=e=>e?`layer ${e-1}`:"embeddings";function Ec(e,t,n){let o=(s,[r,i])=>d`<div class="change" role="listitem">
      <span>${Rc(s)}</span
      ><span class="track"><span ${A({width:`${100*i}%`})}></span></span>
      <bdi class=${r===n?"strong":""}>${$(r)}</bdi
      ><span class="number">${(100*i).toFixed(0)} %</span>
    </div>`;return d`<div class="lens" role="list">
      ${e.map((s,r)=>o(r,s[t]??["",0]))}
    </div>
    <p class="hint">
      What the output layer makes of each layer's state (the ${v("lens","logit lens")}). Early layers were not
      trained for this: read it as a hint.
    </p>`}function Pc(e,t){return _("layers",[".lens",".stream"],()=>[["step","layer","token","probability"],...t.flatMap((o,s)=>o.map(([r,i],l)=>[l,s?s-1:"embeddings",r,i]))],()=>({tokens:e.tokens.map(o=>o.token),layers:t,stream:a.inspection.stream?.result.sublayers??null}))}function Mc(e,t,n){let o=Math.max(0,e.tokens.length-1),{token:s="",log_prob:r}=e.tokens[t]??{},{isPlaying:i}=a.view,l=typeof r=="number"?d` (<span id="probability">${st(r)}</span>)`:m,c=e.tokens.map(w=>w.token),u=d`<bdi class="strong">${$(s)}</bdi>${l}`,p=!n&&a.inspection.result.target!==null,h=()=>ie(oo(c,t),"about",l),f=d`${u}; this place is ${ie(so(c,t))}`,b=p?h():n?f:u;return d`<div class="controls">
    <button id="play" @click=${qr} aria-label=${i?"Pause":"Play"}
      >${i?"❚❚":"▶"}</button
    >
    <input
      id="step"
      type="range"
      min="0"
      max=${o}
      step="1"
      .value=${String(t)}
      aria-label="Token"
      aria-valuetext=${$(s)}
      @input=${w=>g({view:{outputPosition:Number(H(w))}})}
    />
    <span>token ${t+1} of ${o+1}: ${b}</span>
  </div>`}function _c(){let e=t=>{let n=`${O}${t}`,o=()=>{Q(n),cn(".alignment")};return d`<button aria-pressed=${a.view.head===n} @click=${o}>${t.replace("-"," ")}</button>`};return d`<p class="flows">
    <span class="hint">The share of each token of the input in the output, ${v("flow","through all layers")}:</span>
    ${le.map(e)}
  </p>`}function jr(){let{sentence:e,result:t,flow:n}=a.inspection;if(!t||!e)return m;let{storedPage:o}=a.server,{lens:s,target:r,token_log_probs:i}=t,l=s.length>0,c=Math.max(0,Math.min(a.view.outputPosition,e.tokens.length-1)),u=r===null&&i.length>0,p=e.tokens[u?c+1:c]?.token,h=o?"This page was stored without what each layer would say; regard inspect --lens stores it.":"This model's layers cannot be read through its output layer.",f=n!==null&&a.view.head.startsWith(O);return d`<section class="panel layers ${j()?"stale":""}" aria-labelledby="layers-title">
    <div class="head">
      <h2 id="layers-title">Through the layers</h2>
      ${l?Pc(e,s):m}
    </div>
    ${Mc(e,c,u)}
    ${Rr(c,p)??(l?Ec(s,c,p):d`<p class="hint">${h}</p>`)}
    ${o?m:_c()}
    ${f?d`<p class="hint" id="caveat">The alignment shows it. ${n.caveat}</p>`:m}
  </section>`}var Vr=()=>({id:"",step:0,token:"",candidate:null,children:[],path:[],ids:[],isOnBestPath:!0});function Oc({trace:e}){let t=Vr(),n=[];for(let[o,s]of e.entries()){let r=new Set(s.filter(i=>i.fate==="dropped").slice(0,2));n=s.map((i,l)=>{let{fate:c,token:u,id:p}=i,h=i.parent===null?t:n[i.parent];if(!h||c==="dropped"&&!r.has(i))return;let f=c==="finished",b=f?h.path:[...h.path,u],w=f?h.ids:[...h.ids,p],y={...Vr(),id:`${o}.${l}`,step:o+1,token:u,candidate:i,path:b,ids:w};return h.children.push(y),y})}return t}function fo(e,t,n){let o=e.step===n,r=(e.candidate?.fate==="finished"||o)&&String(e.ids)===String(t),i=e.children.map(l=>fo(l,t,n)).some(Boolean);return e.isOnBestPath=i||r,e.isOnBestPath}var Tt=null;function Ur(e,t){if(Tt?.trace===e&&Tt.ids===String(t))return Tt;let n=Oc(e),o=e.trace.length,s=fo(n,t,o);s||fo(n,e.sentences[0]?.ids??[],o);let r=[],i=0,l=(u,p,h)=>{let f={node:u,parent:p,x:8+84*h,y:32*(i+1)};r.push(f),u.children.length||(i+=1);let b=[...u.children].sort((w,y)=>Number(y.isOnBestPath)-Number(w.isOnBestPath));for(let w of b)l(w,f,h+1)};l(n,null,0);let c=Math.max(...r.map(u=>u.x))+84;return Tt={trace:e,ids:String(t),isFound:s,nodes:r,width:c,height:32*(i+1)},Tt}function Gr({x:e,y:t,parent:n}){let o=n.x+(n.parent?34:4),s=e-30,r=s-6;return n.y===t?`M ${o} ${t} L ${s} ${t}`:`M ${o} ${n.y} C ${r} ${n.y}, ${r-6} ${t}, ${s} ${t}`}function Kr({nodes:e},t,n){let o=e.filter(l=>l.x===t.x).sort((l,c)=>l.y-c.y),[s]=e.filter(l=>l.parent===t).sort((l,c)=>l.y-c.y),r=o.indexOf(t);return{ArrowLeft:t.parent?.parent?t.parent:void 0,ArrowRight:s,ArrowUp:o[r-1],ArrowDown:o[r+1]}[n]}var zr=9,Cc={active:"went on",finished:"ended",dropped:"was dropped"};function Hc(e){let t=[...$(e)];return t.length>zr?`${t.slice(0,zr-1).join("")}…`:t.join("")}function Xr({path:e,ids:t}){e.length&&(N(),ot({text:K(e),ids:t}))}async function Lc({path:e,ids:t}){await kt({text:K(e),ids:t}),requestAnimationFrame(()=>document.querySelector("#compared")?.scrollIntoView({block:"nearest"}))}function Ic({node:e}){let{fate:t,score:n}=e.candidate,o=K(e.path),s=String(e.ids)===String(x()?.ids),r=d`<button id="open" @click=${()=>Xr(e)}>Open in the other panels</button>
    <button id="beside" @click=${()=>void Lc(e)}>Compare with the chosen one</button>`;return d`<p id="candidate" role="status">
    <bdi class="strong">${o||"nothing"}</bdi> ${Cc[t]} at step ${e.step}, with a score of
    <span class="strong number">${n.toFixed(3)}</span>. ${o&&!s?r:m}
  </p>`}function Nc(e,t,n){let s=e.key==="Enter"||e.key===" "?n:Kr(t,n,e.key);s&&(e.preventDefault(),g({search:{candidate:s.node.id}}),requestAnimationFrame(()=>document.querySelector(`#tree [data-node="${s.node.id}"]`)?.focus()))}var Jr=({node:e})=>`${e.isOnBestPath?"best":""} ${e.candidate.fate}`;function Wc(e){return q`<path class="branch ${Jr(e)}" d=${Gr(e)}></path>`}function Dc(e,t,n){let{node:o,x:s,y:r}=t,{fate:i,score:l}=o.candidate;return q`<g class="node ${Jr(t)}" tabindex=${n?0:-1} data-node=${o.id} role="button"
      aria-pressed=${o.id===a.search.candidate}
      aria-label="${$(o.token)}, ${i}, score ${l.toFixed(2)}" transform="translate(${s}, ${r})"
      @click=${()=>g({search:{candidate:o.id}})} @dblclick=${()=>Xr(o)}
      @keydown=${c=>Nc(c,e,t)}>
    <text dy="-0.1em" text-anchor="middle">\u2068${Hc(o.token)}\u2069</text>
    <text class="score" dy="1.1em" text-anchor="middle">${l.toFixed(2)}</text>
    <title>${K(o.path)} (${l.toFixed(3)})</title></g>`}function Bc(e,t){let n=e.nodes.slice(1),o=t??n[0];return d`<div class="scroll">
    <svg
      id="tree"
      width=${e.width}
      height=${e.height}
      role="group"
      aria-label="Tree of the search, ${n.length} candidates. Arrow keys go from one to another."
    >
      ${n.map(Wc)} ${n.map(s=>Dc(e,s,s===o))}
    </svg>
  </div>`}function Fc(e,t,n){if(t)return d`<p class="hint">This is the search for another translation.</p>`;if(n)return m;let o="temperature"in e.decoding?"The translation above was drawn. This is what beam search would have tried.":"The translation above is not among these: it was chosen otherwise.";return d`<p class="hint" id="unsearched">${o}</p>`}function qc(e,t,n){let o=Ur(e,t.ids),s=o.nodes.slice(1).find(i=>i.node.id===a.search.candidate),r=d`<p class="hint" id="with-prefix">
    All begin with what you wrote: <bdi class="strong">${t.prefix}</bdi>
  </p>`;return d`${Bc(o,s)} ${s?Ic(s):m}
    ${Fc(t,n,o.isFound)} ${t.prefix?r:m}
    <p class="hint">
      From left to right, a step for each token; below each token is its score.
      <span class="sign best">${o.isFound?"The chosen hypothesis":"The best hypothesis"}</span>, in the top row,
      <span class="sign dropped">dropped</span> (of each step, the best two), <span class="sign finished">ended</span>.
      Click a token to open its text in the other panels, or to compare it.
    </p>`}function jc(e){return _("search",["#tree"],()=>[["step","place","parent","token","log_prob","score","fate"],...e.trace.flatMap((n,o)=>n.map(({parent:s,token:r,log_prob:i,score:l,fate:c},u)=>[o+1,u,s,r,i,l,c]))],()=>e)}function Yr(){let e=x(),{trace:t}=a.search;if(!a.inspection.result||!e||!k())return m;let n=t!==null&&t.requestKey!==Ue(e),o=d`<p class="hint">
    Beam search keeps the ${a.request.beamSize} best beginnings at each step. This draws all that it tried.
  </p>`;return d`<section class="panel search ${n?"stale":""}" aria-labelledby="search-title">
    <div class="head">
      <h2 id="search-title">${v("search","Search")}</h2>
      <button id="search" @click=${()=>void ue()}>${t?"Search again":"Show the search"}</button>
      ${t?jc(t):m}
    </div>
    ${t?qc(t,e,n):o}
  </section>`}function Zr(){let e=T()?.snapshots??[];if(!e.length||!k()||!x()?.isDone)return m;let{snapshot:t,result:n}=a.inspection,o=t===null?e.length:e.indexOf(t),s=l=>{let c=e[Number(H(l))];c===void 0?W():Kt(c)},r=t===null?"the model itself":d`after <span class="strong number">${t.toLocaleString("en")}</span> steps`,i=d`<p>
    Written then: <bdi id="snapshot-written" class="strong">${n?.written||"nothing"}</bdi>
  </p>`;return d`<section class="panel snapshots ${j()?"stale":""}" aria-labelledby="snapshots-title">
    <div class="head">
      <h2 id="snapshots-title">${v("snapshot","While it was trained")}</h2>
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
  </section>`}function Qr(){let e=a.inspection.result,t=x(),{note:n,says:o}=a.server.storedPage;return d`<section class="panel stored" aria-labelledby="text-title">
    <div class="head">
      <h2 id="text-title">Text</h2>
      ${_("text",["#text",".stored .output[data-sentence]"],at,()=>t)}
    </div>
    <p dir="auto" id="text" class="output">${e.text}</p>
    ${o?d`<p dir="auto" id="says">${o}</p>`:m} ${rt(t,0)}
    ${e.token_log_probs.length?it():m}
    <p class="hint">
      Choose a token: the other panels follow. This page was stored and has no model behind it. On the page of
      <code>regard serve MODEL</code>, other tokens can be forced and heads switched off.
    </p>
    ${n?d`<p class="hint" id="note">${n}</p>`:m}
  </section>`}function ei(){let e=document.querySelector("#data");return e?JSON.parse(e.textContent):null}async function Vc(e){let t=Uint8Array.from(atob(e),n=>n.charCodeAt(0));return await new Response(new Blob([t]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer()}function mn(e){let{text:t,target:n,tokens:o,token_log_probs:s}=e,{spelled:r,offsets:i}=Object.values(o).at(-1).rows,l=n!==null&&r.length>1&&i.at(-1)===null,c=n===null?1:0;return{...Ke(),source:t,text:n??t,isDone:!0,tokens:(l?r.slice(0,-1):r).map((u,p)=>({token:u,log_prob:s[p-c]??null,alternatives:[]}))}}async function Uc({packed:e,bytes:t,parts:n}){let o=await Vc(e),s=t===2?new Uint16Array(o):new Uint8Array(o),r=t===2?65535:255,i=new Map,l=0;for(let{heads:c,rows:u,keys:p}of n)for(let h of c){let f=l+u*p;i.set(h,{rows:u,keys:p,values:s.subarray(l,f),scale:r-1,forbidden:r}),l=f}return i}async function ti(e){let t=await Uc(e),n={...e.inspection,request:{},weights:t},o=mn(n),{text:s}=n;Ut(),$e({server:{storedPage:{note:e.note,says:e.says}},inspection:{result:n,sentence:o},output:{sentences:[o],sourceText:s},request:{text:s}});let{head:r}=a.view;g({view:{head:t.has(r)?r:e.first,sentenceIndex:0},heads:{disabled:[]}})}var ni=[20,50,100,200];async function Gc(e,t,n){let o={model:T().name,prompt:e,...t,logprobs:Ie,echo:!0},{choices:s}=await M("v1/completions",o,n),{text:r,logprobs:i}=s[0];if(!i)throw new Error("The server must send the log-probabilities that were asked for.");let l=i.tokens.map((c,u)=>({token:c.replaceAll(" ","▁"),log_prob:i.token_logprobs[u]??null,alternatives:Object.entries(i.top_logprobs[u]??{}).sort((p,h)=>h[1]-p[1])}));return{text:r,ids:i.token_ids,tokens:l}}async function Kc(e,t){let{name:n,max_tokens:o}=T(),s=o??1/0;if(!e.trim())return s-1;let{tokens:r}=await M("inspect",{model:n,text:e},t);return s-Object.values(r)[0].keys.spelled.length}async function go(e=null){let{text:t}=a.request,n=e?.prefix??t,o=e&&(x()?.original??x()??null);await R("translate","Writing",async s=>{let{name:r,max_tokens:i}=T(),{temperature:l,seed:c}=a.request,u=Math.min(a.request.maxTokens,await Kc(n,s));if(u<1)throw new Error(`The text has as many tokens as the model can read: ${i}.`);let p={max_tokens:u,temperature:l,seed:c},{text:h,tokens:f,ids:b}=await Gc(n,p,s),w=b.slice(0,i??b.length),y=await De({model:r,text:h,ids:w},s),S=mn(y).tokens,E={...Ke(),source:n,text:h,ids:w,decoding:p,original:o,edit:e,isDone:!0,tokens:S.map((me,Rt)=>({...me,alternatives:f[Rt]?.alternatives??[]}))},F=Math.max(0,Math.min(e?.position??0,S.length-1));g({output:{sentences:[E],sourceText:t,attribution:null},view:{sentenceIndex:0,outputPosition:F,hoveredToken:null},search:{trace:null}}),ft(y,E)}),a.heads.disabled.length&&!L()&&await J()}async function bo(e,t){let n=x().tokens.slice(0,e),o=K([...n.map(s=>s.token).filter(s=>!ze(s)),t]);N(),await un(()=>go({kind:"prefix",position:e,token:t,prefix:o}))}async function zc(){let{text:e}=a.request;await R("translate","Reading",async t=>{let n=await De({model:T().name,text:e},t),o=mn(n),s=n.predicted?.length?await M(`inspect/${n.id}/flow/gradient`,void 0,t):null;g({output:{sentences:[o],sourceText:e,attribution:s&&{...s,inspection:n}},view:{sentenceIndex:0,outputPosition:0},search:{trace:null}}),ft(n,o)}),a.heads.disabled.length&&!L()&&await J()}async function fn(){Ve(),N(),await St()}async function St(){if(k())return await Er();let e=Y(),{outputPosition:t}=a.view,n=T()?.arch==="decoder";await(n?go():zc());for(let{edit:o}of e?.edits??[])Y()===e&&o.kind==="prefix"&&n&&await go(o);if(e?.ranksHeads&&Y()===e&&await qe(),e&&Y()===e){Ve();let o=(x()?.tokens.length??1)-1;g({view:{outputPosition:Math.max(0,Math.min(t,o))}})}}function gn(){let[e]=T()?.examples??[];e&&!a.request.text&&g({request:{text:e},output:{isExample:!0}})}function oi(e){let t=T();g({request:{modelName:e},heads:{disabled:[]},view:{head:"",outputPosition:0,inputPosition:null},tokenCounts:{total:null},...a.output.isExample?{request:{modelName:e,text:""},output:{isExample:!1}}:{}}),gn(),wo(t),a.request.text.trim()&&fn()}function wo(e){let t=T(),n=e?.arch===t?.arch&&e?.task===t?.task,o=!!e?.direction;(!n||o!==k()||!a.request.text.trim())&&g(...Ht)}var bn=[0,.5,.8,1,1.3],Xc=/^und-und(-x-|$)/;function wn(){let{modelName:e}=a.request,{models:t}=a.server;if(t.length<2)return d`<span class="hint">${Xc.test(e)?m:e}</span>`;let n=o=>d`<option value=${o} ?selected=${o===e}>${o}</option>`;return d`<select id="model" aria-label="Model" @change=${o=>oi(H(o))}>
    ${t.map(o=>n(Ce(o)))}
  </select>`}function lt(e,t,n,o,s,r=String){let i=[...new Set([...t,n])].sort((c,u)=>c-u),l=c=>d`<option value=${c} ?selected=${c===n}>${r(c)}</option>`;return d`<select id=${e} aria-label=${s} @change=${c=>o(Number(H(c)))}>
    ${i.map(l)}
  </select>`}var yn=()=>a.status.busy.translate?d`<button @click=${()=>Te("translate")}>Stop</button>`:m;var si=.6,ae=()=>T()?.arch==="decoder",Jc=({label:e,prob:t})=>d`<div class="change" role="listitem">
    <bdi>${$(e)}</bdi>
    <span class="track"><span ${A({width:`${100*t}%`})}></span></span
    ><span class="number">${(100*t).toFixed(0)} %</span>
  </div>`;function Yc(){let e=a.inspection.result?.predicted,{attribution:t}=a.output;if(!e?.length)return m;let n=T()?.task==="classify"?"the likeliest class":"the chosen token",o=d`<p class="legend">
      <span>${v("moved","moved it")} little ${z("heat",si)} much</span>
    </p>
    <p class="hint">The tokens that moved ${n}: the stronger the colour, the more. ${t?.caveat}</p>`;return d`<div id="predicted" role="list">${e.map(Jc)}</div> ${t?o:m}`}function Zc(){let e=x();if(!e||!a.inspection.result)return m;let{outputPosition:t}=a.view,n=a.output.attribution?.shares,o=n?.length===1?n[0]:n?.[Math.min(t,n.length-1)],s=(r,i)=>{let l=o?.[i]??0;return d`<button
      class="token"
      dir="auto"
      aria-pressed=${t===i}
      data-place=${i}
      data-share=${l.toFixed(3)}
      ${A({background:o?ce("heat",si*l):""})}
      @click=${()=>g({view:{outputPosition:i}})}
      >${$(r)}</button
    >`};return d`<p class="output" id="moved" dir=${de(e.text)}>
    ${e.tokens.map((r,i)=>s(r.token,i))}
  </p>`}function Qc(){let{text:e,maxTokens:t,temperature:n}=a.request,o=lt("length",ni,t,i=>g({request:{maxTokens:i}}),"Tokens"),s=lt("temperature",bn,n,i=>g({request:{temperature:i}}),"Temperature"),r=d`<label>Tokens ${o}</label> <label>Temperature ${s}</label>`;return d`<div class="controls">
    <button class="primary" @click=${()=>void fn()} ?disabled=${!e.trim()&&!ae()}
      >${ae()?"Continue":"Read"}</button
    >
    ${yn()} ${ae()?r:m}
  </div>`}function eu(e){let t=["#output","#doubts",".alternatives"];if(ae())return _("continuation",t,at,()=>a.output.sentences);let n=a.inspection.result?.predicted??[],o=()=>[["label","probability"],...n.map(({label:r,prob:i})=>[r,i])],s=e.tokens.map(r=>r.token);return _("predicted",t,o,()=>({predicted:a.inspection.result?.predicted,tokens:s,moved:a.output.attribution?.shares}))}function tu(e){return ae()?e?rt(e,0):d`<p class="hint">
    The text with its continuation appears here. The stronger a token is coloured, the less the model expected it.
  </p>`:d`${Yc()} ${Zc()}`}function ri(){let e=x(),t=ae()&&e!==void 0,n=!!a.status.busy.translate,o=s=>{ln(s)&&fn()};return d`<section class="panel named" aria-label="Text, and what the model makes of it">
    <div class="columns">
      <div>
        <div class="head">
          <h2>Text</h2>
          ${wn()}
        </div>
        <textarea
          id="text"
          dir="auto"
          rows="4"
          spellcheck="false"
          aria-label=${ae()?"Text to continue":"Text to read"}
          placeholder=${ae()?"Write how it begins.":"Write or paste a text."}
          .value=${a.request.text}
          @input=${s=>g({request:{text:H(s)}})}
          @keydown=${o}
        ></textarea>
        ${Qc()}
      </div>
      <div>
        <div class="head">
          <h2>${ae()?"Continuation":"What the model says"}</h2>
          ${e?.isDone&&a.inspection.result?eu(e):m}
        </div>
        <div class=${D()||n?"stale":""} aria-busy=${n}>
          <div id="output" aria-live="polite">${tu(e)}</div>
          ${t?d`${it()} ${hn(bo)}`:m}
        </div>
        ${t?pn(bo):m}
      </div>
    </div>
  </section>`}var ii=async()=>{a.heads.disabled.length&&await se([])},$n=[{title:"Token by token",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:0,head:oe(),showsComputation:!1}}),await ii()},text:"A model writes one token at a time. Each token is coloured by how unsure the model was of it. Click one: below, you see the likeliest tokens in its place, with their probabilities."},{title:"What a row is",panel:".matrix",target:".frame",prepare:async()=>{g({view:{inputPosition:null}}),await Q(oe())},text:"Before it writes a token, the model looks back at the text. A row of the matrix belongs to the place that is about to write one token, and has read those before it; its cells say how that look is divided among the tokens of the text. A row sums to 1."},{title:"What a head is",panel:".heads",target:"#heads",prepare:()=>g({heads:{sortBy:"place"}}),text:"Every layer has several heads, and each looks in its own way. Some look at the token before, some at the word that is being translated, some at nothing in particular. Each small picture is the matrix of one head. Click some."},{title:"How one weight is computed",panel:".computed",target:"#softmax",prepare:async()=>{g({view:{showsComputation:!0,groupsWords:!1}}),await su(()=>a.inspection.lookup!==null&&!mt("lookup"))},text:"The place that is about to write has a query, and each token that it may look at has a key: two lists of numbers. They are multiplied and added up, which gives a score. Softmax turns the scores of a row into weights that sum to 1. Below the table: the head takes the values of those tokens by these weights."},{title:"A weight is not a cause",panel:".matrix",target:".frame",prepare:()=>g({view:{showsComputation:!1,head:oe()}}),text:"A weight says where a head looks. It does not say that the look matters: later layers may ignore it. To know what the translation depends on, take something away and see what changes."},{title:"Taking a head away",panel:".without",target:".changes",prepare:()=>se([oe()]),text:"One head is off now. The bars show how much less likely each token of the translation becomes without it. Above them is what the model writes then. Often that is nearly the same: heads can stand in for each other."},{title:"Forcing a word",panel:".translate",target:".alternatives",prepare:async()=>{g({view:{outputPosition:Math.min(1,(x()?.tokens.length??1)-1)}}),await ii()},text:"Click another token in the list below the translation. It is written there, and the model decodes the rest again. See how far one word changes what follows, and what it does not change."},{title:"The search",panel:".search",target:".scroll",prepare:ue,text:"A model does not simply take the likeliest token. Beam search keeps several beginnings at once, and drops those that fall behind. The way that won is in the top row. The tour ends here; the rest is yours to try."}],nu=5e3,ou=20;async function su(e){let t=performance.now()+nu;for(;!e()&&!a.status.error&&performance.now()<t;)await new Promise(n=>setTimeout(n,ou))}function ru(){let{disabled:e,undoStack:t,sortBy:n}=a.heads,{sentences:o,sourceText:s}=a.output;return{view:{...a.view},heads:{disabled:e,undoStack:t,sortBy:n},search:{...a.search},output:{sentences:o,sourceText:s},scrollTop:scrollY}}var $o=null;async function ai(){let e=T()?.examples?.[0],t=a.request.text.trim()!=="";if(!t&&!e)return g({status:{notice:"Write a text first: this model has no examples."}}),document.querySelector("#text")?.focus();(!(x()?.isDone&&a.output.sourceText!==""&&!D())||!a.inspection.result||L())&&(t||(N(),g({request:{text:e}})),await _e(),!x()?.isDone)||($o=ru(),await xo(0))}async function yo(){document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.remove("touring");let{view:e,heads:t,search:n,output:o,scrollTop:s}=$o,r=o.sourceText===a.output.sourceText,i=a.inspection.sentence===(o.sentences[e.sentenceIndex]??null);$o=null;let{isPlaying:l}=a.view,{showsComputation:c,groupsWords:u}=e;r?g({heads:t,search:n,output:o,view:{...e,tourStop:null,isPlaying:l,hoveredToken:null}}):g({heads:t,view:{tourStop:null,showsComputation:c,groupsWords:u}}),document.querySelector("#tour")?.focus({preventScroll:!0}),r&&!i?await W():await J(),r&&e.head.startsWith(O)&&await Q(e.head),Be(()=>scrollTo({top:s}))}async function xo(e){let t=$n[e];document.querySelector(".toured")?.classList.remove("toured"),document.body.classList.add("touring"),g({view:{tourStop:e}}),await t.prepare(),Be(()=>{if(a.view.tourStop!==e)return;let n=document.querySelector(t.panel);n?.classList.add("toured"),document.querySelector("#tour-next")?.focus({preventScroll:!0}),au(n?.querySelector(t.target)??document.querySelector(t.target)??n)})}var iu=12;function au(e){let t=document.querySelector(".tour");if(!e||!t)return;document.documentElement.style.setProperty("--bar",`${t.offsetHeight}px`);let{top:n,height:o}=e.getBoundingClientRect(),s=innerHeight-t.offsetHeight;scrollTo({top:Math.max(0,scrollY+n-Math.max(iu,(s-o)/2)),behavior:lo()})}function li(){let e=a.view.tourStop,t=e===null?void 0:$n[e];if(e===null||!t||!k())return m;let n=e===$n.length-1,o=r=>{r.key==="Escape"&&yo()},s=d`<button id="tour-back" @click=${()=>void xo(e-1)}>Back</button>`;return d`<div class="tour" role="dialog" aria-labelledby="tour-title" @keydown=${o}>
    <div class="says" tabindex="0" role="group" aria-label="What this stop shows">
      <h2 id="tour-title">${e+1} of ${$n.length}: ${t.title}</h2>
      <p>${t.text}</p>
    </div>
    <div class="controls">
      <button id="tour-end" @click=${()=>void yo()}>End</button>
      <span>
        ${e?s:m}
        <button id="tour-next" class="primary" @click=${()=>void(n?yo():xo(e+1))}
          >${n?"Done":"Next"}</button
        >
      </span>
    </div>
  </div>`}function lu(e){let t=document.createElement("textarea"),{activeElement:n}=document;t.value=e,t.className="unseen",document.body.append(t),t.select();let o=!1;try{o=document.execCommand("copy")}catch{}return t.remove(),n?.focus(),o}var vo="Copied.";async function ci(e){let t=!1;try{await navigator.clipboard.writeText(e),t=!0}catch{t=lu(e)}zo(t?vo:"The browser does not allow copying here. Select the translation, and copy it with the keyboard.")}var ui=50,cu=400;async function di(e){await R("file",`Translating ${e.name}`,async t=>{let n=await e.text(),o=/\.html?$/i.test(e.name),s=o?[n]:n.split(`
`),r=[];for(let u=0;u<s.length;u+=ui){let p=s.slice(u,u+ui),h={...V(),...Ne(),texts:p,format:o?"html":"text"},{translations:f}=await M("translate",h,t);f.forEach((b,w)=>{let y=u+w+1;if("error"in b)throw new U(cu,`Line ${y} of ${e.name}: ${b.error.message}`);r.push(b.text)}),Ft("file",`Translating ${e.name}: ${r.length} of ${s.length} lines`)}let[,i,l]=/^(.*?)(\.[^.]*)?$/.exec(e.name),c=`${i}.${T()?.target??"translated"}${l??".txt"}`;Ee(c,r.join(`
`),o?"text/html":"text/plain")})}var uu=300,du=[1,2,3,5,8,12],mi=/<\/?[a-z][^>]*>/i,pi=0;function pu(e){let t=H(e);g({request:{text:t,isHtml:a.request.isHtml&&mi.test(t)},output:{isExample:!1}}),clearTimeout(pi),pi=window.setTimeout(()=>{Ge(),a.request.translatesWhileTyping&&_e()},uu)}function xn(e){g({request:e}),_e()}function fi(){N(),_e()}function hu(e,t){let{text:n,score:o}=e,s=d`<span class="number">${o.toFixed(3)}</span>`;if(!n)return d`<li><span class="hint">nothing</span> ${s}</li>`;let{compared:r}=a.output,i=r!==null&&zt(e,r),l=()=>{N(),ot(e)},c=d`<button
    class="compare"
    aria-pressed=${i}
    @click=${()=>void kt(e)}
    >compare</button
  >`;return d`<li>
    <button class="link" aria-pressed=${n===t.text} @click=${l}><bdi>${n}</bdi></button>
    ${s} ${n===t.text?m:c}
  </li>`}var hi=!1;function mu(){let e=x();if(!e?.isDone)return m;let{nBest:t}=e,n=t.filter(({text:r},i)=>t.findIndex(l=>l.text===r)===i);if(n.length<2)return m;let o=n.length-1;return d`<details class="nbest" ?open=${hi} @toggle=${r=>{hi=r.target.open}}>
    <summary>${o} other ${o===1?"translation":"translations"}</summary>
    <p class="hint">${v("best","The best translations")}, best first:</p>
    <ol>
      ${n.map(r=>hu(r,e))}
    </ol>
  </details>`}function fu(){let e=x(),{compared:t}=a.output;if(!e?.isDone||!t)return m;let n=({tokens:r})=>r.reduce((i,l)=>i+(l.log_prob??0),0).toFixed(2),o=t.tokens.map(r=>r.token),s=t.tokens.map(({token:r,log_prob:i},l)=>d`${mo(r,l)}<span
          class="token ${Xe(o,l)}"
          dir="auto"
          title=${st(i)}
          ${A(ho(i))}
          >${$(r)}</span
        >`);return d`<div id="compared">
    <p class="hint">
      Beside it, with a log-probability of <span class="strong number">${n(t)}</span> in place of
      <span class="strong number">${n(e)}</span> (without &lt;/s&gt;). Marked words are not in the one above.
    </p>
    <p class="output" dir=${de(t.text)}>${s}</p>
    <p dir="auto">${Re(t.text,e.text)}</p>
  </div>`}function gu(){return d`<label class="file"
    >Translate a file <input id="file" type="file" accept=".txt,.html,.htm,text/plain,text/html" @change=${t=>{let n=t.target,o=n.files?.[0];o&&di(o),n.value=""}}
  /></label>`}function bu(){let{total:e,longestSentence:t,sentenceLimit:n,truncatedSentences:o}=a.tokenCounts;if(e===null)return m;let s=o===1?"1 sentence is":`${o} sentences are`;return d`<span id="count" class="hint ${o?"warning":""}"
    >${e} ${v("tokens","tokens")}${o?`; ${s} cut`:""}; a sentence may have
    ${n}, the longest has ${t}</span
  >`}function wu(){let{text:e,temperature:t,seed:n,isHtml:o}=a.request,s=d`<button id="again" @click=${()=>xn({seed:n+1})}>Draw again</button>`,r=d`<label
    ><input
      id="html"
      type="checkbox"
      .checked=${o}
      @change=${i=>xn({isHtml:Qe(i)})}
    />
    as HTML</label
  >`;return d`${t&&e.trim()?s:m} ${mi.test(e)?r:m}`}function yu(){let{text:e,translatesWhileTyping:t,beamSize:n,temperature:o}=a.request,s=lt("beam",du,n,i=>xn({beamSize:i,temperature:0}),"Beam"),r=lt("temperature",bn,o,i=>xn({temperature:i}),"Sampling",i=>i||"off");return d`<div class="controls">
    <button class="primary" @click=${fi} ?disabled=${!e.trim()}>Translate</button>
    ${yn()} ${wu()}
    <details class="options">
      <summary>Options</summary>
      <div class="controls">
        <label
          ><input
            type="checkbox"
            .checked=${t}
            @change=${i=>g({request:{translatesWhileTyping:Qe(i)}})}
          />
          while typing</label
        >
        <span class="together">${v("beam","Beam")} ${s}</span>
        <span class="together">${v("sampling","Sampling")} ${r}</span>
        ${gu()} ${bu()}
      </div>
    </details>
  </div>`}function $u(){let e=T()?.examples??[];if(!(a.output.isExample||!a.request.text)||!e.length)return m;let n=o=>{N(),g({request:{text:o},output:{isExample:!1}}),Ge(),_e()};return d`<p class="hint">
    ${a.output.isExample?"An example. Write over it, or take another:":"For example:"}
    ${e.map((o,s)=>o===a.request.text?m:d`<button class="link" title=${o} @click=${()=>n(o)}
        ><span class="whole">${o}</span><span class="short" aria-hidden="true">${s+1}</span></button
      > `)}
  </p>`}function xu(){let{html:e,sentences:t}=a.output;return e?d`<pre class="html">${e}</pre>`:t.length?t.map(rt):d`<p class="hint">
    The translation appears here, token by token. The stronger a token is coloured, the less sure the model was of it.
  </p>`}function vu(){let{html:e,sentences:t}=a.output,n=e!==""||t.length>0&&t.every(i=>i.isDone),o=()=>e||t.map(({separator:i,text:l})=>`${i??""}${l}`).join(""),s=()=>_("translation",["#output","#doubts",".alternatives"],at,()=>t),r=d`<button id="copy" @click=${()=>void ci(o())}
    >${a.status.notice===vo?"Copied":"Copy"}</button
  >`;return d`${n?r:m} ${t.some(i=>i.isDone)?s():m}`}function ku(){let{sentences:e}=a.output,t=!!a.status.busy.translate,n=D()||t&&e.every(s=>s.isDone),o=d`<p class="hint" id="other-text">
    This is the translation of another text than the one that stands there now.
  </p>`;return d`<div>
    <div class="head">
      <h2>Translation</h2>
      ${vu()}
    </div>
    <div class=${n?"stale":""} aria-busy=${t}>
      <div id="output" aria-live="polite">${xu()}</div>
      ${D()&&!t?o:m} ${e.length?it():m}
      ${hn(uo)} ${mu()} ${fu()}
    </div>
    ${pn(uo)}
  </div>`}function gi(){let e=t=>{ln(t)&&fi()};return d`<section class="panel translate" aria-label="Text and translation">
    <div class="columns">
      <div>
        <div class="head source">
          <h2 id="translate-title">Text</h2>
          ${wn()}
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
          @input=${pu}
          @keydown=${e}
        ></textarea>
        ${yu()} ${$u()}
      </div>
      ${ku()}
    </div>
  </section>`}var yi="regard-theme";function Tu(){let e=document.documentElement,t=matchMedia("(prefers-color-scheme: dark)").matches,o=(e.dataset.theme??(t?"dark":"light"))==="dark"?"light":"dark";e.dataset.theme=o;try{localStorage.setItem(yi,o)}catch{}g({})}function Su(){return d`<form class="key" @submit=${t=>{t.preventDefault(),qo(document.querySelector("#key").value),ko()}}>
    <label>Key <input id="key" type="password" autocomplete="off" /></label> <button>Use it</button>
  </form>`}function Au(){let e=()=>d`${ur()} ${pr()}
      <div class="column">${Sr()} ${Bs()}</div>
      ${gr()} ${jr()} ${Zr()}`;return a.server.storedPage?d`${Qr()}${e()}`:a.server.models.length?k()?d`${gi()}${e()}${Yr()}`:d`${ri()}${a.inspection.result?e():m}`:m}var Ru=[["#text","Text"],["#output","Translation"],[".alignment","Attention"],[".heads","Heads"],[".without","Without"],[".search","Search"]];function Eu(){let e=t=>{let n=document.querySelector(t);n&&t!=="#text"&&(n.tabIndex=-1),n?.focus(),n?.scrollIntoView({block:"start"})};return d`<nav class="skips" aria-label="Go to a part of the page">
    ${Ru.map(([t,n])=>d`<button class=${t==="#output"?"desk":""} @click=${()=>e(t)}>${n}</button>`)}
  </nav>`}function Pu(){return a.server.storedPage?"What the heads look at":k()||!a.server.models.length?"Translate, and look inside while it happens.":"See what a model does with a text."}function Mu(){let e=Object.values(a.status.busy).at(-1),t=d`<button id="tour" @click=${()=>void ai()}>Explain</button>`;return d`<header>
    <h1>Regard</h1>
    <p class="hint">${Pu()}</p>
    <span class="said" role="status">${a.status.notice}</span
    ><span class="status" role="status">${e?d`<span class="spinner"></span>${e} …`:m}</span>
    ${k()?t:m} ${a.server.storedPage?m:d`<a href="docs">API</a>`}
    <button class="theme" @click=${Tu} aria-label="Light or dark">◐</button>
  </header>`}function _u(){let{error:e,needsApiKey:t}=a.status;if(!e)return m;let n=d`<button @click=${()=>void Wn()}>Try again</button>`;return d`<p class="error" role="alert">${e} ${t?m:n}</p>`}function Ou(){return d`${Eu()} ${Mu()} ${_u()}
    <main>${a.status.needsApiKey?Su():m} ${Au()}</main>
    ${li()}`}function At(){ts();let e=document.querySelector("#page");e.classList.toggle("busy",Object.keys(a.status.busy).length>0),No(Ou(),e)}async function ko(){await us(),$i(),gn(),a.request.text&&a.server.models.length&&(Ge(),await St())}async function Cu(){if(!a.server.models.length||a.status.needsApiKey)return await ko();(D()||!x()||a.output.sentences.some(t=>!t.isDone))&&!(a.output.html&&!D())?a.request.text.trim()&&(Ge(),await St()):L()||!a.inspection.result?await W():a.heads.disabled.length&&a.heads.ablatedSentence!==a.inspection.sentence?await J():g({})}function Hu(){let e=null;try{e=window.frameElement}catch{}if(!e)return;let{style:t}=e,n=()=>{t.height=`${document.documentElement.offsetHeight+4}px`};new ResizeObserver(n).observe(document.documentElement)}function Lu(){try{return localStorage.getItem(yi)}catch{return null}}var $i=()=>{document.body.dataset.ready="yes"};function Iu(){let e=T(),t=jn();g(t,Y()?.tracesSearch?{}:{search:{trace:null,candidate:null}}),g({output:{isExample:!1}}),gn(),wo(e),St()}var bi=Lu();bi&&(document.documentElement.dataset.theme=bi);On(At);On(Zo);addEventListener("resize",At);matchMedia("(prefers-color-scheme: dark)").addEventListener("change",At);Object.assign(globalThis,{regard:{state:a,matrixLayout:lr,unmatchedWords:ns}});var wi=ei();wi?(Hu(),ti(wi).then(()=>{At(),$i()})):(Ut(),Go(Cu),addEventListener("hashchange",Iu),At(),ko());})();
